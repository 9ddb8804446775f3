import type { Config } from '../config.ts';

type Provider = NonNullable<Config['captchaProvider']>;
type Vendor = {
  /** Its script, which is told to call `captchaReady`. */
  script: string;
  /** Its hosts, and the directives of a content security policy in which it needs them. */
  hosts: string; directives: readonly string[];
  /** Where the solution is sent. */
  header: string;
};

/**
 * https://developers.cloudflare.com/turnstile/reference/content-security-policy/,
 * https://docs.hcaptcha.com/#content-security-policy-settings
 */
const VENDORS: Readonly<Record<Provider, Vendor>> = {
  turnstile: {
    script: 'https://challenges.cloudflare.com/turnstile/v0/api.js', hosts: 'https://challenges.cloudflare.com',
    directives: ['script-src', 'frame-src'], header: 'cf-turnstile-response',
  },
  hcaptcha: {
    script: 'https://js.hcaptcha.com/1/api.js', hosts: 'https://hcaptcha.com https://*.hcaptcha.com',
    directives: ['script-src', 'frame-src', 'style-src', 'connect-src'], header: 'h-captcha-response',
  },
};

/** The captcha as the consent page shows it. */
export type ShownCaptcha = Vendor & { name: Provider; siteKey: string; routes: readonly string[] };

type Asked = Pick<Config, 'captchaProvider' | 'captchaSiteKey' | 'captchaRoutes'>;

/** The ways in of the page that ask for one. */
function routesOf({ captchaProvider, captchaRoutes }: Asked): string[] {
  return captchaProvider === undefined ? [] : captchaRoutes.filter(route => ['login', 'emailOtp'].includes(route));
}

/** Undefined where no way in of the page asks for one, or where the key of the widget is not known. */
export function captchaOf(config: Asked): ShownCaptcha | undefined {
  const { captchaProvider: name, captchaSiteKey: siteKey } = config;
  const routes = routesOf(config);
  if (name === undefined || siteKey === undefined || routes.length === 0) return undefined;
  return { name, siteKey, routes, ...VENDORS[name] };
}

/** Whether ways in of the page ask for one that it cannot show. */
export function lacksSiteKey(config: Asked): boolean {
  return config.captchaSiteKey === undefined && routesOf(config).length > 0;
}
