// Strings that would do something if a page took them for more than text. They are used as names of files, contents, reasons, comments, and
// names of sessions and clients.
export const HOSTILE = [
  "<script>alert(1)</script>",
  '"><img src=x onerror=alert(2)>',
  "'><svg onload=alert(3)>",
  "javascript:alert(4)",
  "</textarea><script>alert(5)</script>",
  "</title></head><script>alert(6)</script>",
  "{{7*7}}${7*7}<%= 7*7 %>{% raw %}",
  '" autofocus onfocus="alert(8)',
  "' onmouseover='alert(9)",
  "<!--<script>alert(10)//-->",
  "%3Cscript%3Ealert(11)%3C/script%3E",
  "&lt;script&gt;alert(12)&lt;/script&gt;&#60;b&#62;",
  "]]><script>alert(13)</script>",
  "<base href=//evil.example><a href=x>x</a>",
  '<meta http-equiv=refresh content="0;url=//evil.example">',
  "<plaintext><xmp><noscript><style>*{display:none}</style>",
  "</td></tr></table></pre><iframe srcdoc='<script>alert(14)</script>'>",
  "\u202Etxt.exe\u202C \u2066x\u2069 \u200B\uFEFF \u2028 \u2029",
  "\u001b[2J\u0007\u0000\u0008bell",
  "#/../../?x=1&y=2;%2e%2e%2f%00\\..\\",
];

/** Those that can be names of files; a slash in them is left out. */
export const NAMES = HOSTILE.map((text) => text.replaceAll("/", "").replaceAll("\u0000", "").slice(0, 100));

/** Runs in a page: what of it would not be there if all text were text. */
export function foreign(own) {
  const found = [];
  const say = (element) => found.push(element.outerHTML.slice(0, 160));
  for (const script of document.querySelectorAll("script")) if (!new URL(script.src, location).pathname.startsWith("/assets/")) say(script);
  for (const element of document.querySelectorAll("iframe, object, embed, base, style, plaintext, xmp, noscript, svg[onload], meta[http-equiv], audio, video")) say(element);
  for (const element of document.querySelectorAll("*")) {
    for (const { name, value } of element.attributes) {
      if (name.startsWith("on") || name === "srcdoc" || name === "autofocus" || name === "style") say(element);
      if (!["href", "src", "action", "formaction"].includes(name)) continue;
      const url = new URL(value, own);
      if (url.origin !== own || url.protocol === "javascript:") say(element);
    }
  }
  return found;
}
