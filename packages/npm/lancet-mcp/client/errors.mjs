// What goes wrong: refusals of lancet, and faults of the connection to it.

export class LancetError extends Error {
  constructor(message, options) {
    super(message, options);
    this.name = this.constructor.name;
  }
}

export class Refused extends LancetError {
  constructor(answer) {
    super(answer.text);
    this.answer = answer;
    this.refusal = answer.data.error?.name ?? "internal";
    this.code = answer.data.error?.code ?? 33;
  }
}

export class ServerDied extends LancetError {
  constructor(status, signal, log) {
    const ended = signal ? `was ended by ${signal}` : `ended with status ${status}`;
    const tail = log.slice(-5).map((line) => `\n  ${line}`);
    super(`lancet ${ended}. A write that was under way is whole or was not made; lancet.changes() tells which.${tail.join("")}`);
    this.status = status;
    this.signal = signal;
    this.log = log;
  }
}

export class CallTimeout extends LancetError {
  constructor() {
    super("no answer within the time limit; the call was cancelled, and changes() tells what was written");
  }
}

export class ProtocolError extends LancetError {
  constructor(code, message) {
    super(`${message} (JSON-RPC error ${code})`);
    this.code = code;
  }
}

export class BinaryNotFound extends LancetError {}
