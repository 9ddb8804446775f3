import { lookup, type LookupAddress } from 'node:dns';
import { request as requestHttp, type IncomingHttpHeaders, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isPrivateAddress } from './private-addresses.ts';

export type Outbound = {
  url: string;
  method?: 'GET' | 'POST';
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** Milliseconds until the whole answer has come, redirects included. */
  deadline: number;
  /** Most bytes of the answer's body. */
  most: number;
  /** `public`: for URLs that others choose. Refuses any address outside the public Internet, at the connection. */
  reach: 'any' | 'public';
  /** Most redirects that are followed; 0 unless given. A GET only. */
  redirects?: number;
};

export type Answer = { status: number; headers: IncomingHttpHeaders; body: Buffer };

/** The request was not made, or its answer was given up. */
export class OutboundError extends Error {
  override name = 'OutboundError';
}

const REDIRECTS = [301, 302, 303, 307, 308];

/**
 * Asks another server. Every request of the gateway to a server that is neither its database nor its bucket goes through here.
 * @throws OutboundError for a URL or an address that is refused, a redirect too many, an answer that is too large or too late, and a
 * connection that fails.
 */
export async function request(asked: Outbound): Promise<Answer> {
  const signal = AbortSignal.timeout(asked.deadline);
  let url = asked.url;
  for (let left = asked.redirects ?? 0; ; left--) {
    const answer = await once(url, asked, signal);
    const { location } = answer.headers;
    if (!REDIRECTS.includes(answer.status) || location === undefined) return answer;
    if (left <= 0) throw new OutboundError(`${hostOf(url)} redirects, which is not followed`);
    if (asked.method === 'POST') throw new OutboundError(`${hostOf(url)} redirects a POST, which is not followed`);
    url = URL.parse(location, url)?.href ?? '';
  }
}

async function once(url: string, { method = 'GET', headers = {}, body, most, reach }: Outbound, signal: AbortSignal): Promise<Answer> {
  const target = URL.parse(url);
  if (target === null || !/^https?:$/.test(target.protocol)) throw new OutboundError('the URL is no http or https URL');
  if (reach === 'public') requirePublic(target);
  const options: RequestOptions = {
    method, signal, agent: false, headers: { ...headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) },
    ...(reach === 'public' && { lookup: lookupPublic }),
  };
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const sent = (target.protocol === 'https:' ? requestHttps : requestHttp)(target, options, message => {
    collect(message, most).then(resolve, reject);
  });
  sent.on('error', reject);
  sent.end(body);
  try {
    return await promise;
  } catch (error) {
    sent.destroy();
    throw asOutbound(error, target, signal);
  }
}

/** A literal address is never looked up. */
function requirePublic({ hostname, username, password }: URL): void {
  const address = hostname.replace(/^\[|\]$/g, '');
  if (username !== '' || password !== '') throw new OutboundError('the URL has a user name or a password');
  if (isIP(address) !== 0 && isPrivateAddress(address)) throw new OutboundError(`${hostname} is no public address`);
}

/** Looks a name up for one connection, and judges the address that this connection gets. */
const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => {
    if (error) {
      callback(error, '', 0);
      return;
    }
    const open = addresses.filter(({ address }) => !isPrivateAddress(address));
    const [first] = open;
    if (first === undefined) callback(new OutboundError(`${hostname} has no public address`), '', 0);
    else if (options.all) callback(null, open);
    else callback(null, first.address, first.family);
  });
};

async function collect(message: IncomingMessage, most: number): Promise<Answer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of message as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > most) throw new OutboundError(`the answer has more than ${most} bytes`);
    pieces.push(piece);
  }
  return { status: message.statusCode ?? 0, headers: message.headers, body: Buffer.concat(pieces) };
}

function asOutbound(error: unknown, target: URL, signal: AbortSignal): OutboundError {
  if (error instanceof OutboundError) return error;
  const reason = signal.aborted ? 'did not answer in time' : `could not be asked: ${(error as Error).message}`;
  return new OutboundError(`${target.host} ${reason}`, { cause: error });
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? 'the server';
}
