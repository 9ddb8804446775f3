const LOOPBACK_HOSTS = ['127.0.0.1', '[::1]', 'localhost'];
/** The parts of a loopback address that have to be equal; the port is chosen anew at each start of a program (RFC 8252 section 7.3). */
const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?((?:[/?].*)?)$/;
/** RFC 3986 section 2; no reader takes one of them for another. */
const URI = /^[\w.~:/?[\]@!$&'()*+,;=%-]+$/;
const LONGEST = 2048;
/** RFC 8252 section 7.1: a domain name in reverse, which no other scheme is. An editor that many use has a scheme of its own. */
const OF_APP = /^(?:[a-z][a-z\d+-]*\.[a-z\d+.-]+|cursor):/;

export function isLoopback(hostname: string): boolean {
  return LOOPBACK_HOSTS.includes(hostname);
}

/** Says why a client may not have this redirect URI; undefined where it may. */
export function redirectProblem(uri: string): string | undefined {
  const url = URL.parse(uri);
  const isUri = url !== null && uri.length <= LONGEST && URI.test(uri);
  if (!isUri) return 'must be an absolute URI of at most 2048 characters, without a fragment';
  if (url.username !== '' || url.password !== '') return 'must not have a user name or a password';
  if (/^https:\/\/[^/?]/.test(uri)) return undefined;
  if (LOOPBACK.test(uri)) return undefined;
  if (OF_APP.test(uri)) return undefined;
  return 'must be https, or http on 127.0.0.1, [::1] or localhost, or a private-use scheme with a dot in it';
}

/** Whether a request names one of the client's URIs: character by character, but for the port of a loopback address. */
export function isRedirectOf(registered: readonly string[], asked: string): boolean {
  if (registered.includes(asked)) return true;
  const [, host, rest] = LOOPBACK.exec(asked) ?? [];
  if (host === undefined || redirectProblem(asked) !== undefined) return false;
  return registered.some(uri => {
    const parts = LOOPBACK.exec(uri);
    return parts?.[1] === host && parts[2] === rest;
  });
}

/** The URI with these parameters. Its own query stays as it is. */
export function withParameters(uri: string, parameters: Record<string, string | undefined>): string {
  const given = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(given).toString()}`;
}
