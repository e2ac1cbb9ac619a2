// Where summaries come from: the stream, or one request a second where the stream was refused, as it is
// when more pages are open than the daemon sends events to.
const kAgainMs = 10000;
let source = null;
let polling = null;
let unreachable = false;  // as the last request found

const connected = () => polling !== null ? !unreachable : source !== null && source.readyState === EventSource.OPEN;

function connect(take) {
  source = new EventSource("/api/v1/events");
  source.addEventListener("summary", (event) => take(JSON.parse(event.data)));
  source.addEventListener("open", () => {
    clearInterval(polling);
    polling = null;
  });
  source.addEventListener("error", () => {
    // The browser tries again by itself, unless the answer was a refusal.
    if (source.readyState !== EventSource.CLOSED) return;
    if (polling === null) polling = setInterval(() => poll(take), 1000);
    setTimeout(() => connect(take), kAgainMs);
  });
}

async function poll(take) {
  try {
    const answer = await fetch("/api/v1/summary", {signal: AbortSignal.timeout(900)});
    unreachable = false;
    if (answer.ok && polling !== null) take(await answer.json());
  } catch (failure) {
    unreachable = failure.name !== "TimeoutError";
  }
}
