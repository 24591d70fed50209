// Written by `lancet install opencode`; `lancet uninstall opencode` removes it.
// Reports prompts, the ends of turns and calls of tools to lancet, which records what they change.
import { spawn } from "node:child_process"

const COMMAND = "{COMMAND}"
// How long opencode waits for lancet, in milliseconds.
const PATIENCE = 5000
// opencode's own tools that may change files, and those of lancet.
const REPORTED = /^(bash|edit|write|multiedit|patch|apply_patch|lancet_.*)$/

export const Lancet = async ({ directory }) => {
  const parents = new Map() // sessions of sub-agents, with the session that started each
  const open = new Map() // calls that have begun, with their session and tool
  const running = new Set() // reports that have not arrived yet

  const report = (session, name, more) => {
    const parent = parents.get(session)
    const origin = parent ? { agent_id: session, parentAgentId: parent } : {}
    const event = { session_id: session, cwd: directory, hook_event_name: name, ...origin, ...more }
    const arrived = new Promise((resolve) => {
      const timer = setTimeout(resolve, PATIENCE)
      const done = () => { clearTimeout(timer); resolve() }
      try {
        const child = spawn("/bin/sh", ["-c", COMMAND], { cwd: directory, stdio: ["pipe", "ignore", "ignore"] })
        child.on("error", done)
        child.on("close", done)
        child.stdin.on("error", () => {})
        child.stdin.end(JSON.stringify(event))
      } catch {
        done()
      }
    })
    running.add(arrived)
    return arrived.then(() => { running.delete(arrived) })
  }

  return {
    "chat.message": async ({ sessionID }, { parts }) => {
      const texts = parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text)
      if (texts.length) await report(sessionID, "UserPromptSubmit", { prompt: texts.join("\n") })
    },
    "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
      if (!REPORTED.test(tool)) return
      // Of a call of lancet's own tools only the session is to be known.
      if (!tool.startsWith("lancet_")) open.set(callID, { session: sessionID, tool })
      await report(sessionID, "PreToolUse", { tool_name: tool, tool_use_id: callID, tool_input: args })
    },
    "tool.execute.after": async ({ tool, sessionID, callID, args }, { metadata }) => {
      if (!open.delete(callID)) return
      const response = { metadata: { exit: metadata?.exit ?? null } }
      await report(sessionID, "PostToolUse", { tool_name: tool, tool_use_id: callID, tool_input: args, tool_response: response })
    },
    event: async ({ event }) => {
      const { sessionID, info, part } = event.properties ?? {}
      if (event.type === "session.created" && info?.parentID) parents.set(info.id, info.parentID)
      // opencode says nothing to "tool.execute.after" of a call that failed.
      if (event.type === "message.part.updated" && part?.type === "tool" && part.state.status === "error") {
        const call = open.get(part.callID)
        if (!open.delete(part.callID)) return
        await report(call.session, "PostToolUseFailure", { tool_name: call.tool, tool_use_id: part.callID, tool_input: part.state.input })
      }
      if (event.type === "session.idle" && !parents.has(sessionID)) await report(sessionID, "Stop", {})
    },
    dispose: async () => { await Promise.all(running) },
  }
}
