/** `node send.ts <url> <headers> <name of a flood> <seconds>`: a process of its own; prints how often each status came back. */
import { Agent, request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { FLOODS, type Request } from './floods.ts';

/** Floods until the time is over. A connection that is cut off in the middle of its request counts as 0. */
export async function send(url: string, headers: Record<string, string>, name: string, milliseconds: number): Promise<Map<number, number>> {
  const flood = FLOODS.find(one => one.name === name);
  if (!flood) throw new Error(`There is no flood ${name}.`);
  const statuses = new Map<number, number>();
  const controller = new AbortController();
  const over = controller.signal;
  setTimeout(() => controller.abort(), milliseconds);
  let n = 0;
  const { authorization, ...others } = headers;
  const sent = { ...others, ...(!flood.isAnonymous && { authorization }) };
  await Promise.all(Array.from({ length: flood.connections }, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!over.aborted) {
      const status = await ask(agent, url, sent, flood.request(n++), over);
      if (status !== undefined) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    agent.destroy();
  }));
  return statuses;
}

/** Undefined when the time was over before the answer. */
async function ask(
  agent: Agent, url: string, headers: Record<string, string | undefined>, { method, path, body, isRead }: Request, over: AbortSignal,
): Promise<number | undefined> {
  try {
    const sending = request(url + path,
      { agent, method, headers: { ...headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) }, signal: over });
    sending.on('error', () => undefined); // once() has told it, or it came after the answer
    sending.end(body);
    const [answer] = await once(sending, 'response') as [IncomingMessage];
    if (isRead === false) await once(answer, 'close', { signal: over });
    else await once(answer.resume(), 'close');
    return answer.complete ? answer.statusCode : 0;
  } catch {
    return over.aborted ? undefined : 0;
  }
}

if (process.argv[1] === import.meta.filename) {
  const [, , url = '', headers = '{}', name = '', seconds = '5'] = process.argv;
  const statuses = await send(url, JSON.parse(headers) as Record<string, string>, name, Number(seconds) * 1000);
  console.log(JSON.stringify([...statuses]));
  process.exit(0); // answers that are not read keep it
}
