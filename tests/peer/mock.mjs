// Serves the AG-UI mock of @copilotkit/aimock on a free loopback port until standard input ends;
// prints its URL.
import { AGUIMock } from "@copilotkit/aimock";

const mock = new AGUIMock({ host: "127.0.0.1", port: 0 });
mock.onMessage("text", "Hello, 서울 and \u2028 more");
mock.onToolCall("tool", "find_stops", '{"city":"Seoul"}', { result: "palace" });
mock.onReasoning("reason", "The palace first.");
mock.onStateKey("visited", { visited: ["palace"], n: 1.5 });
const [run] = mock.fixtures.slice(0, 1);
mock.onRun("chunks", [
  run.events[0],
  { type: "TEXT_MESSAGE_CHUNK", messageId: "c1", role: "assistant", delta: "one " },
  { type: "TEXT_MESSAGE_CHUNK", delta: "two" },
  { type: "CUSTOM", name: "note", value: null },
  run.events.at(-1),
]);
mock.onRun("error", [run.events[0], { type: "RUN_ERROR", message: "out of credit", code: "PAY" }]);

console.log(await mock.start());
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
