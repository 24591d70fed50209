"""A whole coding agent: `ANTHROPIC_API_KEY=… python agent.py "Rename the function foo to bar"` in the folder of a project."""

import sys

from lancet_mcp import Decision, Lancet, No, Question


def ask(question: Question) -> Decision:
    """Shows a change with its diff, and lets the person decide; anything but y goes to the model."""
    print(question.text)
    words = input("y, or what the model should do instead: ")
    return "yes" if words == "y" else No(words)


def agent(client, prompt: str, folder: str, approve=ask) -> str:
    """Lets a model work until it has no more tool calls; its last words."""
    with Lancet(folder, approve=approve) as lancet:
        session, tools, system = lancet.session(), lancet.tools("anthropic"), lancet.instructions()
        session.begin_turn()
        messages = [{"role": "user", "content": prompt}]
        while True:
            response = client.messages.create(
                model="claude-sonnet-4-5", max_tokens=8192, system=system, tools=tools, messages=messages
            )
            messages.append({"role": "assistant", "content": response.content})
            results = session.dispatch("anthropic", response.content)
            if not results:
                return "".join(block.text for block in response.content if block.type == "text")
            messages.append({"role": "user", "content": results})


if __name__ == "__main__":
    import anthropic

    print(agent(anthropic.Anthropic(), sys.argv[1], "."))
