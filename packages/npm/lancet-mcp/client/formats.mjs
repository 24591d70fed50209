// Tool calls of models and their results, in the formats of the providers' APIs.

export const FORMATS = ["anthropic", "openai", "responses", "gemini"];

export function checked(format) {
  if (!FORMATS.includes(format)) throw new TypeError(`the format is one of ${FORMATS.join(", ")}, and not ${format}`);
  return format;
}

const CALLS = {
  anthropic: (item) => item.type === "tool_use" && { id: item.id, name: item.name, arguments: item.input },
  openai: ({ id, function: called }) => called && { id, name: called.name, arguments: parsed(called.arguments) },
  responses: (item) =>
    item.type === "function_call" && { id: item.call_id, name: item.name, arguments: parsed(item.arguments) },
  gemini: ({ functionCall: called }) => called && { id: called.id, name: called.name, arguments: called.args ?? {} },
};

// The tool calls among the items of a model's message, in their order; texts and thoughts are passed over.
export function calls(format, items) {
  return Array.from(items ?? [], CALLS[checked(format)]).filter(Boolean);
}

const RESULTS = {
  anthropic: (answered) => answered.map(anthropic),
  openai(answered) {
    const told = answered.map(([call, answer]) => ({ role: "tool", tool_call_id: call.id, content: answer.text }));
    const pictures = answered.flatMap(([, answer]) => answer.images);
    if (pictures.length === 0) return told;
    // A message of a tool has text alone, and all of them follow the calls at once: the pictures come after them.
    const shown = pictures.map((image) => ({ type: "image_url", image_url: { url: url(image) } }));
    return [...told, { role: "user", content: [{ type: "text", text: "The pictures of these answers:" }, ...shown] }];
  },
  responses: (answered) =>
    answered.map(([call, answer]) => ({ type: "function_call_output", call_id: call.id, output: output(answer) })),
  gemini(answered) {
    const pictures = answered.flatMap(([, answer]) => answer.images);
    const shown = pictures.map((image) => ({ inlineData: { mimeType: image.mediaType, data: image.data } }));
    return [...answered.map(gemini), ...shown];
  },
};

// What the next request has, for pairs of calls and answers.
export function results(format, answered) {
  return RESULTS[format](answered);
}

function anthropic([call, answer]) {
  const pictures = answer.images.map((image) => ({
    type: "image",
    source: { type: "base64", media_type: image.mediaType, data: image.data },
  }));
  // The API takes no empty text.
  const content = [...(answer.text ? [{ type: "text", text: answer.text }] : []), ...pictures];
  return { type: "tool_result", tool_use_id: call.id, content, is_error: answer.isError };
}

function output(answer) {
  if (answer.images.length === 0) return answer.text;
  const pictures = answer.images.map((image) => ({ type: "input_image", image_url: url(image) }));
  return [{ type: "input_text", text: answer.text }, ...pictures];
}

function gemini([call, answer]) {
  const response = answer.isError ? { error: answer.text } : { output: answer.text };
  return { functionResponse: { ...(call.id ? { id: call.id } : {}), name: call.name, response } };
}

function url(image) {
  return `data:${image.mediaType};base64,${image.data}`;
}

// Text that is no JSON stays as it is: lancet tells the model what is wrong with it.
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
