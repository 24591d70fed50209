-- lancet in Neovim (0.7 and newer): shows what agents change, lists and decides what waits for a person, and tells lancet which
-- files have unsaved changes. `:help lancet` describes it. Everything that starts a program is asynchronous.

local M = {}

--- What `setup` may be given.
local config = {
  command = { "lancet" },
  notify = true,
  reload = true,
  unsaved = true,
}

--- How long changes are collected before they are shown, and unsaved files before they are sent, in milliseconds.
local PAUSE = 100
--- The most unsaved files that lancet takes.
local MOST_UNSAVED = 1000
--- How long after its end the link is begun again, in milliseconds; it grows with each try.
local AGAIN = { 1000, 5000, 30000 }
--- The most items of a list that are looked at for their first changed line.
local MOST_SHOWN = 50

--- The link to lancet: job, roots of the project, the rest of a line, and how often it was begun again.
local link = { job = nil, roots = {}, rest = "", again = 0, sent = "", changes = {}, known = {} }
local waiting = {}

local function tell(text, level)
  vim.notify("lancet: " .. text, level or vim.log.levels.INFO)
end

local function with(...)
  local command = vim.deepcopy(config.command)
  vim.list_extend(command, { ... })
  return command
end

--- Whether the program is there; says so where it is not.
local function is_installed()
  if vim.fn.executable(config.command[1]) == 1 then return true end
  tell("`" .. config.command[1] .. "` cannot be started; is it installed?", vim.log.levels.ERROR)
  return false
end

--- Decodes one line; nil where it is no JSON object.
local function decode(line)
  local ok, value = pcall(vim.json.decode, line, { luanil = { object = true, array = true } })
  return ok and type(value) == "table" and value or nil
end

--- Runs a command of lancet; `done` gets its exit code, its output and its errors. Nothing waits for it.
local function run(arguments, done)
  if not is_installed() then return end
  local out, errors = {}, {}
  local job = vim.fn.jobstart(with(unpack(arguments)), {
    stdout_buffered = true,
    stderr_buffered = true,
    on_stdout = function(_, lines) out = lines end,
    on_stderr = function(_, lines) errors = lines end,
    on_exit = function(_, code) done(code, table.concat(out, "\n"), vim.trim(table.concat(errors, "\n"))) end,
  })
  -- Without this a command that reads its input would wait for ever.
  vim.fn.chanclose(job, "stdin")
end

--- Runs a command that prints JSON, one object a line; `done` gets the objects.
local function ask(arguments, done)
  run(arguments, function(code, out, errors)
    if code ~= 0 then return tell(errors ~= "" and errors or out, vim.log.levels.ERROR) end
    local objects = {}
    for _, line in ipairs(vim.split(out, "\n", { plain = true })) do objects[#objects + 1] = decode(line) end
    done(objects)
  end)
end

local function short(id) return id and id:sub(-4) or "" end

--- The path as people read it: below the project without its folder.
local function shown(path) return vim.fn.fnamemodify(path, ":~:.") end

local function is_below(path)
  for _, root in ipairs(link.roots) do
    if path == root or vim.startswith(path, root == "/" and root or root .. "/") then return true end
  end
  return false
end

-- Unsaved files -----------------------------------------------------------------------------------------------------------------

local function unsaved_files()
  local files = {}
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local name = vim.api.nvim_buf_get_name(buffer)
    local options = vim.bo[buffer]
    local is_file = name ~= "" and options.buftype == "" and not name:find("^%a[%w+.-]*://")
    if is_file and vim.api.nvim_buf_is_loaded(buffer) and options.modified then
      files[#files + 1] = vim.fn.fnamemodify(name, ":p")
    end
  end
  table.sort(files)
  if #files > MOST_UNSAVED then
    tell("more than 1,000 files have unsaved changes; the others are not kept from agents", vim.log.levels.WARN)
    while #files > MOST_UNSAVED do table.remove(files) end
  end
  return files
end

local function send_unsaved()
  if not link.job or not config.unsaved then return end
  local files = unsaved_files()
  local list = #files == 0 and "[]" or vim.json.encode(files)
  local line = '{"unsaved": ' .. list .. "}\n"
  if line ~= link.sent then
    link.sent = line
    pcall(vim.fn.chansend, link.job, line)
  end
end

local timers = {}
--- Calls a function once, a moment after the last time that this was asked for.
local function soon(name, act)
  local timer = timers[name] or vim.loop.new_timer()
  timers[name] = timer
  timer:start(PAUSE, 0, vim.schedule_wrap(act))
end

--- Notes that a buffer may have been changed or saved. This runs at every keystroke, so it looks at one flag.
local function note(event)
  local modified = vim.api.nvim_buf_is_valid(event.buf) and vim.bo[event.buf].modified
  if link.known[event.buf] ~= modified or event.event == "BufFilePost" or event.event == "FocusLost" then
    link.known[event.buf] = modified
    soon("unsaved", send_unsaved)
  end
end

-- What comes from lancet --------------------------------------------------------------------------------------------------------

--- Whether a buffer's name, or a file that it is a link to, is this file.
local function is_file(name, path) return name == path or (name ~= "" and vim.loop.fs_realpath(name) == path) end

local function reload(path)
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local is_plain = vim.api.nvim_buf_is_loaded(buffer) and vim.bo[buffer].buftype == "" and not vim.bo[buffer].modified
    if is_plain and is_file(vim.api.nvim_buf_get_name(buffer), path) then
      vim.api.nvim_buf_call(buffer, function()
        -- Without 'autoread' Neovim would ask, and there is nothing to lose in a buffer without changes.
        vim.cmd("setlocal autoread | silent! checktime " .. buffer .. " | setlocal autoread<")
      end)
    end
  end
end

--- Tells of the changes that were gathered, in one line.
local function tell_changes()
  local changes = link.changes
  link.changes = {}
  local last = changes[#changes]
  if not last then return end
  for _, change in ipairs(changes) do
    if config.reload then reload(change.path) end
  end
  if not config.notify then return end
  local added, removed = 0, 0
  for _, hunk in ipairs(last.patch or {}) do
    for _, line in ipairs(hunk.lines) do
      local sign = line:sub(1, 1)
      added = added + (sign == "+" and 1 or 0)
      removed = removed + (sign == "-" and 1 or 0)
    end
  end
  local more = #changes > 1 and (" and " .. #changes - 1 .. " more") or ""
  local who = last.client or "an agent"
  tell(("%s: %s %s +%d -%d (%s)%s"):format(who, last.kind, shown(last.path), added, removed, short(last.operation), more))
end

local function refresh(done)
  ask({ "pending", "--json" }, function(objects)
    waiting = vim.tbl_filter(function(one) return one.question end, objects)
    if done then done(waiting) end
  end)
end

local function on_event(event)
  if event.event == "editor" then
    link.roots = event.roots or link.roots
    link.again = 0
  elseif event.event == "changed" and event.path and is_below(event.path) then
    table.insert(link.changes, event)
    soon("changes", tell_changes)
  elseif event.event == "waiting" or event.event == "decided" then
    refresh(function()
      for _, one in ipairs(waiting) do
        if event.event == "waiting" and one.question == event.question and config.notify then
          tell(("%s waits: %s (%s). :Lancet diff %s"):format(one.client or "an agent", one.reason, one.tool, one.short))
        end
      end
    end)
  end
end

local function on_output(job, lines)
  if job ~= link.job then return end
  -- The first part goes on with the last line, and the last part is not whole yet.
  lines[1] = link.rest .. lines[1]
  link.rest = table.remove(lines)
  for _, line in ipairs(lines) do
    local event = line ~= "" and decode(line)
    if event then on_event(event) end
  end
end

--- Begins the link for the folder that Neovim is in.
function M.start()
  if link.job then return end
  if not is_installed() then return end
  link.rest, link.sent, link.known, link.roots = "", "", {}, {}
  local job
  job = vim.fn.jobstart(with("events", "--follow", "--editor", "nvim"), {
    on_stdout = on_output,
    on_exit = function(_, code)
      if link.job ~= job then return end
      link.job = nil
      link.again = link.again + 1
      if AGAIN[link.again] then
        vim.defer_fn(M.start, AGAIN[link.again])
      else
        tell("the link has ended (exit code " .. code .. "); `:Lancet start` begins it again", vim.log.levels.WARN)
      end
    end,
  })
  link.job = job
  soon("unsaved", send_unsaved)
  refresh()
end

--- Ends the link.
function M.stop()
  local job = link.job
  link.job = nil
  -- It ends by itself with its input, and takes its list along.
  if job then vim.fn.chanclose(job, "stdin") end
end

-- Showing -----------------------------------------------------------------------------------------------------------------------

--- Opens a buffer that is no file. `facts` says what is shown: `question` or `operation`, and for each line its place.
local function scratch(name, lines, filetype, facts)
  vim.cmd("botright new")
  local buffer = vim.api.nvim_get_current_buf()
  local options = vim.bo[buffer]
  options.buftype, options.bufhidden, options.swapfile = "nofile", "wipe", false
  pcall(vim.api.nvim_buf_set_name, buffer, name)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  options.modifiable, options.filetype = false, filetype
  vim.b[buffer].lancet = facts
  return buffer
end

--- Adds the lines of a unified diff; `places` gets file, line and hunk of each.
local function add_hunk(lines, places, path, number, first, hunk_lines)
  local at = first
  for _, line in ipairs(hunk_lines) do
    lines[#lines + 1] = line
    places[#lines] = { path, at, number }
    if not line:find("^[-\\]") then at = at + 1 end
  end
end

--- The patch of a change, as `lancet show --json` gives it.
local function patch_of(change)
  local lines = { ("change %s  %s %s"):format(change.operation, change.client or "", change.tool or "") }
  local places = { { change.files[1] and change.files[1].file_path or "", 1, 1 } }
  for _, file in ipairs(change.files) do
    lines[#lines + 1] = "--- " .. shown(file.file_path)
    lines[#lines + 1] = "+++ " .. shown(file.file_path)
    if #(file.hunks or {}) == 0 then lines[#lines + 1] = "(no lines to show)" end
    for _, hunk in ipairs(file.hunks or {}) do
      local head = ("@@ -%d,%d +%d,%d @@ hunk %d"):format(hunk.oldStart, hunk.oldLines, hunk.newStart, hunk.newLines, hunk.number)
      lines[#lines + 1] = head
      places[#lines] = { file.file_path, hunk.newStart, hunk.number }
      add_hunk(lines, places, file.file_path, hunk.number, hunk.newStart, hunk.lines)
    end
  end
  return lines, places
end

--- The patch of a question, as `lancet pending show --json` gives it.
local function patch_of_question(one)
  local lines = { ("question %s  %s %s: %s"):format(one.short, one.client or "", one.tool, one.reason) }
  local places = { { one.files[1] and one.files[1].file_path or "", 1, 1 } }
  for _, file in ipairs(one.files) do
    lines[#lines + 1] = "--- " .. shown(file.file_path)
    lines[#lines + 1] = "+++ " .. shown(file.file_path)
    for _, notice in ipairs(file.notices or {}) do lines[#lines + 1] = "# " .. notice end
    for _, piece in ipairs(file.pieces or {}) do
      local number, first, body = 0, 1, {}
      for _, line in ipairs(vim.split((piece.diff:gsub("\n$", "")), "\n", { plain = true })) do
        local start = line:match("^@@ %-%d+,?%d* %+(%d+)")
        if start then
          add_hunk(lines, places, file.file_path, piece.hunks[number], first, body)
          number, first, body = number + 1, tonumber(start), {}
          lines[#lines + 1] = line .. " hunk " .. (piece.hunks[number] or "")
          places[#lines] = { file.file_path, first, piece.hunks[number] }
        elseif number > 0 then
          body[#body + 1] = line
        end
      end
      add_hunk(lines, places, file.file_path, piece.hunks[number], first, body)
    end
  end
  return lines, places
end

--- Keeps the places of the lines as lists, which a buffer's variable can hold.
local function kept(places, count)
  local list = {}
  for at = 1, count do list[at] = places[at] or {} end
  return list
end

local function show_question(id)
  ask({ "pending", "show", id, "--json" }, function(objects)
    local one = objects[1]
    local lines, places = patch_of_question(one)
    scratch("lancet://question/" .. one.short, lines, "diff", { question = one.question, places = kept(places, #lines) })
  end)
end

local function show_change(id)
  local arguments = { "show", "--json" }
  if id then table.insert(arguments, 2, id) end
  ask(arguments, function(objects)
    local change = objects[1]
    local lines, places = patch_of(change)
    scratch("lancet://change/" .. short(change.operation), lines, "diff", { operation = change.operation, places = kept(places, #lines) })
  end)
end

--- Opens a change as before and after, side by side, in a new tab page.
local function side_by_side(id)
  local arguments = { "show", "--json" }
  if id then table.insert(arguments, 2, id) end
  ask(arguments, function(objects)
    local change = objects[1]
    local path = change.files[1].file_path
    local state = path .. "@" .. change.operation
    run({ "show", state .. "^" }, function(code, before, errors)
      if code ~= 0 then return tell(errors, vim.log.levels.ERROR) end
      run({ "show", state }, function(_, after)
        vim.cmd("tabnew")
        -- Its form is another one before Neovim 0.8, and colours are no reason to fail.
        local known, filetype = pcall(vim.filetype.match, { filename = path })
        for at, text in ipairs({ before, after }) do
          if at == 2 then vim.cmd("rightbelow vnew") end
          local options = vim.bo
          options.buftype, options.bufhidden, options.swapfile = "nofile", "wipe", false
          vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split((text:gsub("\n$", "")), "\n", { plain = true }))
          pcall(vim.api.nvim_buf_set_name, 0, ("lancet://%s/%s/%s"):format(at == 1 and "before" or "after", short(change.operation), shown(path)))
          options.modifiable, options.filetype = false, known and filetype or ""
          vim.b.lancet = { operation = change.operation, places = {} }
          vim.cmd("diffthis")
        end
      end)
    end)
  end)
end

-- Commands ----------------------------------------------------------------------------------------------------------------------

local function facts() return vim.b.lancet or {} end

--- File, line and hunk of the line under the cursor of a patch.
local function place() return (facts().places or {})[vim.fn.line(".")] or {} end

--- The question that is meant: as typed, of this buffer, of the quickfix item under the cursor, or the only one that waits.
local function question(typed)
  local quickfix = vim.bo.buftype == "quickfix" and (vim.fn.getqflist()[vim.fn.line(".")] or {}).text
  local id = typed or facts().question or (quickfix and quickfix:match("^(%w+)"))
  if id then return id end
  if #waiting == 1 then return waiting[1].question end
  tell(#waiting == 0 and "nothing waits" or "several questions wait; name one of them, or see :Lancet pending")
end

local function is_question(id)
  for _, one in ipairs(waiting) do
    if id and vim.endswith(one.question, id) then return true end
  end
  return false
end

--- Runs a command in a terminal window, where lancet shows what it is about to do and the person types the answer.
local function in_terminal(arguments)
  vim.cmd("botright 15new")
  local window, buffer = vim.api.nvim_get_current_win(), vim.api.nvim_get_current_buf()
  vim.bo[buffer].bufhidden = "wipe"
  vim.fn.termopen(with(unpack(arguments)), {
    -- The window can be scrolled, so that a pager would only be in the way.
    env = { LANCET_PAGER = "cat" },
    on_exit = function(_, code)
      -- What was refused stays to be read.
      if code == 0 and vim.api.nvim_win_is_valid(window) and #vim.api.nvim_list_wins() > 1 then
        vim.api.nvim_win_close(window, true)
        tell(arguments[1] .. (arguments[1] == "pending" and " " .. arguments[2] or "") .. ": done")
      end
    end,
  })
  vim.cmd("startinsert")
end

local function first_line(diff) return tonumber((diff or ""):match("@@ %-%d+,?%d* %+(%d+)")) or 1 end

local function to_quickfix(title, items)
  vim.fn.setqflist({}, " ", { title = title, items = items })
  if #items == 0 then return tell(title .. ": nothing") end
  vim.cmd("botright copen")
end

local commands = {}

function commands.pending()
  refresh(function(all)
    local items, left = {}, 0
    local function finish()
      left = left - 1
      if left == 0 then to_quickfix("lancet: waiting for you", vim.tbl_values(items)) end
    end
    if #all == 0 then return to_quickfix("lancet: waiting for you", {}) end
    left = math.min(#all, MOST_SHOWN)
    for at = 1, left do
      local one = all[at]
      ask({ "pending", "show", one.question, "--json" }, function(objects)
        local file = objects[1].files[1] or {}
        local piece = (file.pieces or {})[1] or {}
        local text = ("%s %s %s +%d -%d: %s"):format(one.short, one.client or "", one.tool, file.added or 0, file.removed or 0, one.reason)
        items[at] = { filename = file.file_path, lnum = first_line(piece.diff), text = text }
        finish()
      end)
    end
  end)
end

function commands.log(arguments)
  local asked = { "log", "--json", "-n", "50" }
  vim.list_extend(asked, arguments)
  ask(asked, function(objects)
    local items = {}
    for _, one in ipairs(objects) do
      for _, file in ipairs(one.files or {}) do
        local text = ("%s %s %s +%d -%d"):format(short(one.operation), one.client or one.session or "", one.tool or "", file.added or 0, file.removed or 0)
        items[#items + 1] = { filename = file.file_path, lnum = 1, text = text }
      end
    end
    to_quickfix("lancet: changes", items)
  end)
end

function commands.diff(arguments, bang)
  local quickfix = vim.bo.buftype == "quickfix" and (vim.fn.getqflist()[vim.fn.line(".")] or {}).text
  local id = arguments[1] or facts().question or facts().operation or (quickfix and quickfix:match("^(%w+)"))
  refresh(function()
    if is_question(id) then return show_question(id) end
    if bang then return side_by_side(id) end
    show_change(id)
  end)
end

function commands.approve(arguments)
  local asked, id = { "pending", "approve" }, nil
  local hunks = {}
  for _, word in ipairs(arguments) do
    if word == "." then
      if not place()[3] then return tell("there is no hunk under the cursor") end
      vim.list_extend(hunks, { "--hunk", tostring(place()[3]) })
    elseif word:match("^%d%d?%d?$") and not is_question(word) then
      vim.list_extend(hunks, { "--hunk", word })
    else
      id = word
    end
  end
  id = question(id)
  if not id then return end
  asked[3] = id
  in_terminal(vim.list_extend(asked, hunks))
end

function commands.reject(arguments)
  local words = vim.deepcopy(arguments)
  local id = question(is_question(words[1]) and table.remove(words, 1) or nil)
  if not id then return end
  local asked = { "pending", "reject", id }
  -- Words that begin with a dash are no options.
  if #words > 0 then vim.list_extend(asked, { "--", unpack(words) }) end
  run(asked, function(code, out, errors)
    tell(code == 0 and vim.trim(out) or errors, code == 0 and vim.log.levels.INFO or vim.log.levels.ERROR)
  end)
end

function commands.undo(arguments)
  local id = arguments[1] or facts().operation
  in_terminal(id and { "undo", id } or { "undo" })
end

function commands.hunk(arguments)
  local id, number = facts().operation, tonumber(arguments[#arguments]) or place()[3]
  if #arguments == 2 then id = arguments[1] end
  if not id or not number then return tell("open a change with :Lancet diff, and put the cursor on the hunk to take back") end
  ask({ "show", id, "--json" }, function(objects)
    for _, file in ipairs(objects[1].files) do
      for _, name in ipairs(unsaved_files()) do
        -- lancet would ask at a terminal, and there is none.
        if is_file(name, file.file_path) then
          return tell(shown(name) .. " has unsaved changes; save it first. Nothing was undone", vim.log.levels.WARN)
        end
      end
    end
    run({ "undo", id, "--hunk", tostring(number), "--yes" }, function(status, _, trouble)
      if status ~= 0 then return tell(trouble, vim.log.levels.ERROR) end
      tell(("hunk %d of %s was undone"):format(number, short(id)))
    end)
  end)
end

function commands.jump(arguments)
  local function go(path, line)
    if not path or path == "" then return tell("there is no line to jump to") end
    if facts().places then vim.cmd("wincmd p") end
    vim.cmd("edit " .. vim.fn.fnameescape(path))
    vim.api.nvim_win_set_cursor(0, { math.max(1, math.min(line or 1, vim.api.nvim_buf_line_count(0))), 0 })
  end
  if not arguments[1] and place()[1] then return go(place()[1], place()[2]) end
  local asked = { "show", "--json" }
  if arguments[1] then table.insert(asked, 2, arguments[1]) end
  ask(asked, function(objects)
    local file = objects[1].files[1]
    go(file.file_path, file.hunks and file.hunks[1] and file.hunks[1].newStart)
  end)
end

function commands.start() M.start() end
function commands.stop() M.stop() end

local function complete(lead, line)
  local words = vim.split(vim.trim(line), "%s+")
  local choices = vim.tbl_keys(commands)
  if #words > 2 or (#words == 2 and lead == "") then
    local wants = { approve = true, reject = true, diff = true }
    choices = wants[words[2]] and vim.tbl_map(function(one) return one.short end, waiting) or {}
  end
  table.sort(choices)
  return vim.tbl_filter(function(choice) return vim.startswith(choice, lead) end, choices)
end

--- What the plugin knows, for status lines: how many questions wait, and whether the link is there.
function M.status() return { waiting = #waiting, linked = link.job ~= nil and #link.roots > 0 } end

--- Sets the plugin up and begins the link.
function M.setup(options)
  config = vim.tbl_extend("force", config, options or {})
  if type(config.command) == "string" then config.command = { config.command } end
  vim.api.nvim_create_user_command("Lancet", function(called)
    local name = called.fargs[1]
    local command = commands[name]
    if not command then return tell("there is no :Lancet " .. name .. "; :help lancet lists what there is") end
    command(vim.list_slice(called.fargs, 2), called.bang)
  end, { nargs = "+", bang = true, complete = complete, desc = "What agents change, and what waits for you" })
  local group = vim.api.nvim_create_augroup("lancet", { clear = true })
  local on = function(events, callback) vim.api.nvim_create_autocmd(events, { group = group, callback = callback }) end
  on({ "BufModifiedSet", "BufWritePost", "BufUnload", "BufFilePost", "TextChanged", "TextChangedI", "InsertLeave", "FocusLost", "CursorHold" }, note)
  on("DirChanged", function(event)
    if event.match ~= "global" then return end
    M.stop()
    M.start()
  end)
  on("VimLeavePre", M.stop)
  M.start()
end

return M
