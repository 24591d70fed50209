// Questions about writes that need a person's approval, and the answers to them.

const APPROVED = ["yes", "session", "always"];

// A form that a result asks to have filled in before the call goes on.
export class Form {
  // The form that a result of `tools/call` asks for; none where it is an answer.
  static of(result) {
    if (result.resultType !== "input_required") return undefined;
    const asked = Object.entries(result.inputRequests ?? {}).find(([, request]) => request.method === "elicitation/create");
    return new Form(asked?.[0] ?? "", result.requestState, asked?.[1].params ?? {});
  }

  constructor(name, state, params) {
    this.name = name;
    this.state = state;
    this.message = params.message ?? "";
    this.fields = params.requestedSchema?.properties ?? {};
  }

  // The question of the form; none where it asks for the words of a no, which were given with the decision.
  question(tool, args, session) {
    const decision = this.fields.decision;
    if (!decision) return undefined;
    const choices = decision.enum ?? [];
    return { text: this.message, tool, arguments: args, session, choices, protected: !("default" in decision) };
  }

  // The parameters that the call is sent again with.
  filled(decision) {
    return { requestState: this.state, inputResponses: { [this.name]: this.#answer(decision) } };
  }

  #answer(decision) {
    if (typeof decision?.no === "string") {
      if (decision.by && "decision" in this.fields) {
        return { action: "accept", content: { decision: "no", by: String(decision.by), reason: decision.no } };
      }
      return { action: "accept", content: "reason" in this.fields ? { reason: decision.no } : { decision: "no" } };
    }
    if (APPROVED.includes(decision) && "decision" in this.fields) return { action: "accept", content: { decision } };
    // Nobody answered where the callback threw; everything else that is not understood is a no.
    return { action: decision instanceof Unanswered ? "cancel" : "decline" };
  }
}

// Stands for a decision that never came.
export class Unanswered {}
