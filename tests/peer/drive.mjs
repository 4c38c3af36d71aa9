// Drives an agent with the official AG-UI client: a scenario as JSON on standard input, the outcome
// of each turn as JSON on standard output.
//
//   {url, threadId, state?, messages?, turns: [{user?, toolResult?, run: {runId, tools?, resume?}}]}
import { HttpAgent } from "@ag-ui/client";

const warnings = [];
for (const level of ["warn", "error"]) {
  console[level] = (...args) => warnings.push(args.map(String).join(" "));
}

async function readStdin() {
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString("utf8"));
}

async function runTurn(agent, turn) {
  const outcome = { events: [], pendingToolCallIds: [] };
  if (turn.user !== undefined) agent.addMessage({ role: "user", ...turn.user });
  if (turn.toolResult !== undefined) agent.addMessage({ role: "tool", ...turn.toolResult });
  const subscriber = {
    onEvent: ({ event }) => void outcome.events.push(event),
    onRunFinishedEvent: (finished) => {
      outcome.outcome = finished.outcome;
      outcome.pendingToolCallIds = finished.pendingToolCallIds ?? [];
    },
    onRunErrorEvent: ({ event }) => void (outcome.runError = event),
    onRunFailed: ({ error }) => void (outcome.failure = String(error)),
  };
  try {
    const result = await agent.runAgent(turn.run, subscriber);
    outcome.result = result.result;
  } catch (error) {
    outcome.thrown = String(error);
  }
  outcome.messages = structuredClone(agent.messages);
  outcome.state = structuredClone(agent.state);
  outcome.pendingInterrupts = structuredClone(agent.pendingInterrupts);
  return outcome;
}

const scenario = await readStdin();
const agent = new HttpAgent({
  url: scenario.url,
  threadId: scenario.threadId,
  initialMessages: scenario.messages ?? [],
  initialState: scenario.state ?? {},
  headers: scenario.headers ?? {},
});
const turns = [];
for (const turn of scenario.turns) turns.push(await runTurn(agent, turn));
process.stdout.write(JSON.stringify({ turns, warnings }));
