import type { Logger } from 'pino';
import type { Config } from '../../config.ts';
import { ApiError } from '../../../error.ts';
import type { Call } from '../../../http/route.ts';
import { postForm } from '../../../outbound/post-form.ts';

type Provider = NonNullable<Config['captchaProvider']>;
/** `anonymous/link` asks for the challenge of `register`. */
export type CaptchaRoute = Config['captchaRoutes'][number];

export type Captcha = {
  /**
   * Passes a request whose challenge is solved, or whose route asks for none. After the rate limit, before the body is validated.
   * @throws ApiError 400 CAPTCHA_REQUIRED without a solution, CAPTCHA_FAILED for one that is not confirmed, for any reason.
   */
  require: (call: Call, route: CaptchaRoute) => Promise<void>;
};
export type CaptchaOptions = {
  provider: Provider | undefined;
  secret: string | undefined;
  routes: readonly CaptchaRoute[];
  tokenField: string;
  /** Instead of the provider's own address. */
  verifyUrl: string | undefined;
  log: Logger;
  /** Milliseconds for the provider's whole answer. */
  patience?: number;
};

/** Both take the same form and give the same answer. */
const PROVIDERS: Readonly<Record<Provider, { url: string; header: string }>> = {
  turnstile: { url: 'https://challenges.cloudflare.com/turnstile/v0/siteverify', header: 'cf-turnstile-response' },
  hcaptcha: { url: 'https://api.hcaptcha.com/siteverify', header: 'h-captcha-response' },
};
const HEADERS = Object.values(PROVIDERS).map(({ header }) => header);

/** Characters. The providers' are shorter. */
const LONGEST_SOLUTION = 8_192;
const PATIENCE = 5_000;

export function createCaptcha(options: CaptchaOptions): Captcha {
  const { provider, secret, routes, tokenField, log, patience = PATIENCE } = options;
  if (provider === undefined || secret === undefined) return { require: () => Promise.resolve() };
  const { url: ownUrl, header: ownHeader } = PROVIDERS[provider];
  const url = options.verifyUrl ?? ownUrl;
  const key = secret;

  async function require(call: Call, route: CaptchaRoute): Promise<void> {
    if (!routes.includes(route)) return;
    const solution = solutionOf(call);
    if (solution === '') throw new ApiError(400, 'CAPTCHA_REQUIRED', 'This route asks for a solved captcha.');
    if (solution.length <= LONGEST_SOLUTION && await isConfirmed(solution, call)) return;
    throw new ApiError(400, 'CAPTCHA_FAILED', 'The captcha was not confirmed. Solve it again.');
  }

  function solutionOf(call: Call): string {
    const inHeader = [ownHeader, ...HEADERS].map(name => call.header(name)).find(value => value !== '');
    if (inHeader !== undefined) return inHeader;
    const field = call.json()[tokenField];
    return typeof field === 'string' ? field.trim() : '';
  }

  /** A provider that cannot be asked confirms nothing. */
  async function isConfirmed(solution: string, { ip, requestId }: Call): Promise<boolean> {
    try {
      const { success, codes } = await ask(solution, ip);
      if (codes.some(code => code.includes('secret'))) {
        log.error({ requestId, provider, codes }, 'The captcha provider refuses CAPTCHA_SECRET.');
      }
      return success;
    } catch (error) {
      log.warn({ requestId, provider }, `The captcha provider could not be reached: ${(error as Error).message}`);
      return false;
    }
  }

  async function ask(solution: string, ip: string): Promise<Verification> {
    const { ok, status, answer } = await postForm(url, { secret: key, response: solution, ...(ip !== '' && { remoteip: ip }) }, patience);
    if (!ok) throw new Error(`it answered ${status}`);
    return verificationOf(answer);
  }

  return { require };
}

type Verification = { success: boolean; codes: string[] };

function verificationOf(answer: unknown): Verification {
  const { success, 'error-codes': codes } = Object(answer) as Record<string, unknown>;
  return { success: success === true, codes: Array.isArray(codes) ? codes.map(String) : [] };
}
