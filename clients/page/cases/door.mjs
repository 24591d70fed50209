// The door of the page: links, cookies, devices, and what other pages and programs cannot do with them.
import { createServer, request } from "node:http";
import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Sends a request as a program does, with the path exactly as given. */
function send(stage, method, path, headers = {}, body = "") {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port: stage.port, method, path, headers: { "Content-Length": Buffer.byteLength(body), ...headers } }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (data) => (text += data));
      answer.on("end", () => resolve({ status: answer.statusCode, headers: answer.headers, text }));
      answer.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** A page of somebody else, on another port. */
async function elsewhere(stage, html) {
  const server = createServer((_, answer) => answer.writeHead(200, { "Content-Type": "text/html" }).end(html));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  // The same site as the page, so that its cookie goes along; a page of another site does not even have that.
  return { url: `http://lancet.localhost:${port}/`, close: () => server.close() };
}

export default {
  "a link lets one browser in, once": async (stage) => {
    await stage.serve();
    const link = await stage.link();
    const first = await stage.browser({ enter: false });
    await first.goto(link);
    await first.waitForURL(`${stage.url}/`);
    stage.check(await first.isVisible("nav.sections"), "there is no navigation");
    const second = await stage.browser({ enter: false, trouble: ["403"] });
    await second.goto(link);
    await second.waitForSelector("[role=alert]");
    stage.check((await second.textContent("[role=alert]")).includes("used already"), "the second is not told");
    stage.check(!second.url().includes("#"), "the code stays in the address");
    await second.goto(`${stage.url}/`);
    stage.same(new URL(second.url()).pathname, "/enter", "who is not known");
    await stage.axe(second);
    // It is in, too, by a link of its own, also where the code is typed with blanks and in capitals.
    const code = (await stage.link()).split("#")[1];
    await second.fill("#code", ` ${code.slice(0, 9).toUpperCase()} ${code.slice(9)}`);
    await second.click("button");
    await second.waitForURL(`${stage.url}/`);
    stage.same(readdirSync(join(stage.state, "page-codes")), [], "codes that are left");
    stage.same(readdirSync(join(stage.state, "page-devices")).length, 2, "devices");
    for (const folder of ["page-codes", "page-devices"]) stage.same(statSync(join(stage.state, folder)).mode & 0o777, 0o700, folder);
  },

  "the address 127.0.0.1 works as well": async (stage) => {
    await stage.serve();
    const page = await stage.browser({ enter: false });
    await page.goto((await stage.link()).replace("lancet.localhost", "127.0.0.1"));
    await page.waitForURL(`http://127.0.0.1:${stage.port}/`);
    stage.check(await page.isVisible("nav.sections"), "there is no navigation");
  },

  "the cookie is the browser's alone and opens nothing but the page": async (stage) => {
    await stage.serve();
    const page = await stage.browser();
    const [cookie, ...more] = await page.context().cookies();
    stage.same(more.length, 0, "further cookies");
    stage.check(cookie.httpOnly && cookie.sameSite === "Strict" && cookie.domain === "lancet.localhost", JSON.stringify(cookie));
    const days = (cookie.expires - Date.now() / 1000) / 86400;
    stage.check(days > 29.9 && days < 30.1, `it lasts ${days} days`);
    const Cookie = `${cookie.name}=${cookie.value}`;
    stage.same((await send(stage, "GET", "/", { Cookie })).status, 200, "the page with it");
    const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
    for (const [method, path] of [["POST", "/mcp"], ["GET", "/mcp"], ["GET", "/events?since=0"]]) {
      stage.same((await send(stage, method, path, { Cookie }, method === "POST" ? ping : "")).status, 401, `${method} ${path} with the cookie`);
      stage.same((await send(stage, method, path, { Authorization: `Bearer ${cookie.value}` })).status, 401, `${method} ${path} with the cookie as token`);
    }
    // Tokens open nothing of the page, wherever they stand.
    for (const path of ["/", "/devices", "/live", `/?token=${stage.token}`, `/live?token=${stage.token}`]) {
      const answer = await send(stage, "GET", path, { Authorization: `Bearer ${stage.token}`, Cookie: `lancet-page=${stage.token}` });
      stage.same([answer.status, answer.headers.location], [303, "/enter"], `${path} with the token for the tools`);
    }
  },

  "devices are shown and forgotten": async (stage) => {
    await stage.serve();
    const [desk, phone, third] = [await stage.browser({ trouble: ["403", "ERR_CONNECTION_REFUSED"] }), await stage.browser({ phone: true, trouble: ["ERR_CONNECTION_REFUSED"] }), await stage.browser({ trouble: ["ERR_CONNECTION_REFUSED"] })];
    await desk.goto(`${stage.url}/devices`);
    stage.same(await desk.locator(".devices > li").count(), 3, "devices");
    stage.same(await desk.locator(".tag-good").count(), 1, "this device");
    await stage.axe(desk);
    await phone.goto(`${stage.url}/devices`);
    await stage.fitsPhone(phone);
    await desk.click("text=Forget all others");
    await desk.waitForSelector("text=2 other devices are forgotten");
    for (const other of [phone, third]) {
      await other.goto(`${stage.url}/devices`);
      stage.same(new URL(other.url()).pathname, "/enter", "who was forgotten");
    }
    await stage.enter(phone);
    await desk.reload();
    await desk.locator("li", { hasText: "this device" }).locator("button").click();
    await desk.waitForURL(`${stage.url}/enter`);
    // New tokens forget everybody.
    await stage.stop();
    await stage.serve("--new-token");
    await phone.goto(`${stage.url}/`);
    stage.same(new URL(phone.url()).pathname, "/enter", "after --new-token");
  },

  "the server is started anew and the page goes on": async (stage) => {
    await stage.serve();
    const page = await stage.browser({ trouble: ["ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_EMPTY_RESPONSE"] });
    await stage.stop("SIGKILL");
    await page.waitForSelector(".live:visible");
    await stage.serve();
    await page.waitForSelector(".live", { state: "hidden" });
    await page.reload();
    stage.check(await page.isVisible("nav.sections"), "the cookie is not good any more");
  },

  "pages of others can neither frame the page nor send its forms": async (stage) => {
    await stage.serve();
    const page = await stage.browser({ trouble: ["frame", "403"] });
    await stage.browser();
    const form = `<form method="post" action="${stage.url}/devices/forget-others"><input name="token" value="x"></form><script>document.forms[0].submit()</script>`;
    const framing = await elsewhere(stage, `<iframe src="${stage.url}/"></iframe>`);
    const sending = await elsewhere(stage, form);
    try {
      await page.goto(framing.url);
      const frame = page.frames()[1];
      await stage.until(() => frame.url().startsWith("chrome-error"), "the page is not shown in a frame");
      const answered = page.waitForResponse((response) => response.request().method() === "POST");
      await page.goto(sending.url).catch(() => {});
      const answer = await answered;
      stage.same(answer.status(), 403, "a form of another page");
      stage.check((await answer.request().allHeaders()).cookie?.startsWith("lancet-page="), "the cookie did not go along, and nothing was shown");
      stage.same(readdirSync(join(stage.state, "page-devices")).length, 2, "devices");
    } finally {
      framing.close();
      sending.close();
    }
  },

  "no path leads out, and other pages may not read": async (stage) => {
    await stage.serve();
    const page = await stage.browser();
    const [{ name, value }] = await page.context().cookies();
    const Cookie = `${name}=${value}`;
    for (const path of ["/assets/../state/serve-token", "/assets/..%2f..%2fstate%2fserve-token", "/assets/%2e%2e/page.css", "/assets//etc/passwd", "/assets/%00", "/assets/page.css/..", "//etc/passwd", "/..%2f..%2fetc%2fpasswd"]) {
      const answer = await send(stage, "GET", path, { Cookie });
      stage.check([400, 404].includes(answer.status) && !answer.text.includes("root:"), `${path}: ${answer.status}`);
    }
    for (const method of ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"]) {
      const answer = await send(stage, method, "/", { Cookie, Origin: "http://localhost:3000", "Access-Control-Request-Method": "POST" });
      stage.check([405, 403].includes(answer.status), `${method}: ${answer.status}`);
      stage.check(!answer.headers["access-control-allow-origin"], `${method}: other pages may read the answer`);
    }
    for (const path of ["/", "/devices", "/enter", "/live", "/assets/page.js"]) {
      const answer = await send(stage, "HEAD", path, { Cookie, Origin: "http://localhost:3000" });
      stage.same(answer.status, 200, `HEAD ${path}`);
      const { headers } = answer;
      stage.check(!headers["access-control-allow-origin"], `${path}: other pages may read it`);
      stage.check(headers["content-security-policy"]?.includes("frame-ancestors 'none'") && headers["x-frame-options"] === "DENY" && headers["x-content-type-options"] === "nosniff", `${path}: headers`);
      stage.check(path.startsWith("/assets") || headers["cache-control"] === "no-store", `${path}: ${headers["cache-control"]}`);
    }
    const long = await send(stage, "POST", "/enter", {}, `code=${"x".repeat(1 << 20)}`).catch(() => ({ status: 0 }));
    stage.check([0, 200, 403, 413].includes(long.status), `a long code: ${long.status}`);
  },

  "without JavaScript the code is pasted, and views are shown": async (stage) => {
    await stage.serve();
    const page = await stage.browser({ script: false });
    stage.check(await page.isVisible("nav.sections"), "there is no navigation");
    await page.goto(`${stage.url}/devices`);
    await page.click("text=Forget this device");
    stage.same(new URL(page.url()).pathname, "/enter", "it was forgotten");
  },
};
