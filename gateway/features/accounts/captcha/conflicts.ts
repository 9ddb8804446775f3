export type CaptchaSettings = { captchaProvider: string | undefined; captchaSecret: string | undefined };

/** A partial configuration would leave routes open that seem protected. `given` are the variables that are set. */
export function captchaConflicts({ captchaProvider, captchaSecret }: CaptchaSettings, given: readonly string[]): string[] {
  if (captchaProvider !== undefined) return captchaSecret === undefined ? ['CAPTCHA_SECRET is required with CAPTCHA_PROVIDER.'] : [];
  return given.filter(name => /^CAPTCHA_(?!PROVIDER)/.test(name)).map(name => `${name} does nothing without CAPTCHA_PROVIDER.`);
}
