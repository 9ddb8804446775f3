/** Headers of one connection (RFC 9110 section 7.6.1), and of the framing of a message. */
const HOP_BY_HOP = new Set([
  'connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer', 'transfer-encoding',
  'upgrade', 'content-length', 'expect',
]);
/** Headers of an answer that are the gateway's, besides those of CORS. */
const OWN = new Set([...HOP_BY_HOP, 'date', 'x-request-id']);

/** Whether the gateway alone writes this header of an answer. */
export function isOwnHeader(name: string): boolean {
  return OWN.has(name) || name.startsWith('access-control-');
}

/** The headers of a request as a function gets them. */
export function forwarded(headers: readonly [string, string][], requestId: string): [string, string][] {
  const connection = headers.filter(([name]) => name === 'connection').map(([, value]) => value.toLowerCase()).join();
  const named = connection.split(',').map(name => name.trim());
  const kept = headers.filter(([name]) => !HOP_BY_HOP.has(name) && !named.includes(name) && name !== 'x-request-id');
  return [...kept, ['x-request-id', requestId]];
}
