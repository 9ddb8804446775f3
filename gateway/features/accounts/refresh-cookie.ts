import { ApiError } from '../../error.ts';
import { originTest } from '../../http/cors.ts';
import type { Call } from '../../http/route.ts';
import type { AuthConfig } from './options.ts';

const NAME = '__service_refresh';
/** Browsers keep none for longer: 400 days in seconds. */
const LONGEST = 400 * 86_400;

/** The refresh token where scripts of a page cannot read it. */
export type RefreshCookie = {
  isOn: boolean;
  /** The one that was sent. @throws ApiError 403 FORBIDDEN when a page of another origin sent it. */
  read: (call: Call) => string | undefined;
  set: (token: string) => Record<string, string>;
  clear: () => Record<string, string>;
};

export function createRefreshCookie(config: AuthConfig): RefreshCookie {
  const { authCookie: isOn, authCookieSameSite: sameSite, authCookieSecure: secure, jwtRefreshExpiresIn: lifetime } = config;
  const isListed = originTest(config);
  const own = config.publicUrl === undefined ? undefined : new URL(config.publicUrl).origin;
  const isAllowed = (origin: string) => origin === own || isListed(origin);
  const written = (value: string, age: number): Record<string, string> => isOn
    ? { 'Set-Cookie': `${NAME}=${value}; Path=/; Max-Age=${age}; HttpOnly; SameSite=${sameSite}${secure ? '; Secure' : ''}` }
    : {};

  return { isOn, read, set: token => written(token, Math.min(lifetime, LONGEST)), clear: () => written('', 0) };

  function read(call: Call): string | undefined {
    const sent = isOn ? cookieOf(call.header('cookie')) : undefined;
    const origin = call.header('origin');
    if (sent !== undefined && origin !== '' && !isAllowed(origin)) {
      throw new ApiError(403, 'FORBIDDEN', 'Pages of this origin may not use the session\'s cookie.', { origin });
    }
    return sent;
  }
}

function cookieOf(header: string): string | undefined {
  const value = header.split(';').map(pair => pair.trim()).find(pair => pair.startsWith(`${NAME}=`))?.slice(NAME.length + 1);
  return value === '' ? undefined : value;
}
