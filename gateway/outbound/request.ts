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
  /** A body that is longer, comes too late or breaks off is cut there; without it, that is an error. */
  cuts?: true;
  /** `public`: for URLs that others choose. Refuses any address outside the public Internet, at the connection. */
  reach: 'any' | 'public';
  /** Most redirects that are followed; 0 unless given. A GET only. */
  redirects?: number;
  /** Aborted, the request is given up. */
  signal?: AbortSignal;
};

export type Answer = { status: number; headers: IncomingHttpHeaders; body: Buffer };

/** The request was not made, or its answer was given up. */
export class OutboundError extends Error {
  override name = 'OutboundError';
}

/** The URL, its address or a redirect is one that is not asked: another time would end alike. `status`: that of the redirect, else 0. */
export class RefusedError extends OutboundError {
  readonly status: number;

  constructor(message: string, status = 0) {
    super(message);
    this.status = status;
  }
}

const REDIRECTS = [301, 302, 303, 307, 308];

/**
 * Asks another server. Every request of the gateway to a server that is neither its database nor its bucket goes through here.
 * @throws OutboundError for a URL or an address that is refused, a redirect too many, an answer that is too large or too late, and a
 * connection that fails.
 */
export async function request(asked: Outbound): Promise<Answer> {
  const deadline = AbortSignal.timeout(asked.deadline);
  const signal = asked.signal === undefined ? deadline : AbortSignal.any([deadline, asked.signal]);
  let url = asked.url;
  for (let left = asked.redirects ?? 0; ; left--) {
    const answer = await once(url, asked, signal);
    const { location } = answer.headers;
    if (!REDIRECTS.includes(answer.status) || location === undefined) return answer;
    if (left <= 0) throw new RefusedError(`${hostOf(url)} redirects, which is not followed`, answer.status);
    if (asked.method === 'POST') throw new RefusedError(`${hostOf(url)} redirects a POST, which is not followed`, answer.status);
    url = URL.parse(location, url)?.href ?? '';
  }
}

/**
 * Each request has a connection of its own: its address is judged for it alone, and no request is lost on a connection that the server has
 * just closed, which could not be told from one that it has taken. On one machine a connection is a tenth of the work of a delivery.
 */
async function once(url: string, asked: Outbound, signal: AbortSignal): Promise<Answer> {
  const { method = 'GET', headers = {}, body, reach, cuts } = asked;
  const target = URL.parse(url);
  if (target === null || !/^https?:$/.test(target.protocol)) throw new RefusedError('the URL is no http or https URL');
  if (reach === 'public') requirePublic(target);
  const options: RequestOptions = {
    method, signal, agent: false, headers: { ...headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) },
    ...(reach === 'public' && { lookup: lookupPublic }),
  };
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  let isAnswered = false;
  const sent = (target.protocol === 'https:' ? requestHttps : requestHttp)(target, options, message => {
    isAnswered = true;
    collect(message, asked).then(resolve, reject);
  });
  sent.on('error', error => { if (!isAnswered || cuts !== true) reject(error); });
  sent.end(body);
  try {
    return await promise;
  } catch (error) {
    sent.destroy();
    throw asOutbound(error, target, signal);
  }
}

/** A literal address is never looked up, and names of this machine (RFC 6761) need not be. */
function requirePublic({ hostname, username, password }: URL): void {
  const address = hostname.replace(/^\[|\]$/g, '');
  if (username !== '' || password !== '') throw new RefusedError('the URL has a user name or a password');
  const isOwnName = /(^|\.)localhost\.?$/.test(hostname);
  if (isOwnName || (isIP(address) !== 0 && isPrivateAddress(address))) throw new RefusedError(`${hostname} is no public address`);
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
    if (first === undefined) callback(new RefusedError(`${hostname} has no public address`), '', 0);
    else if (options.all) callback(null, open);
    else callback(null, first.address, first.family);
  });
};

async function collect(message: IncomingMessage, { most, cuts }: Outbound): Promise<Answer> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of message as AsyncIterable<Buffer>) {
      size += piece.length;
      pieces.push(piece);
      if (size > most) throw new OutboundError(`the answer has more than ${most} bytes`);
    }
  } catch (error) {
    if (cuts !== true) throw error;
  }
  return { status: message.statusCode ?? 0, headers: message.headers, body: Buffer.concat(pieces).subarray(0, most) };
}

function asOutbound(error: unknown, target: URL, signal: AbortSignal): OutboundError {
  if (error instanceof OutboundError) return error;
  const isLate = (signal.reason as Error | undefined)?.name === 'TimeoutError';
  const reason = isLate ? 'did not answer in time' : signal.aborted ? 'was given up' : `could not be asked: ${(error as Error).message}`;
  return new OutboundError(`${target.host} ${reason}`, { cause: error });
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? 'the server';
}
