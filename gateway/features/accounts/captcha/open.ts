import type { Logger } from 'pino';
import { createCaptcha, type Captcha } from './captcha.ts';
import type { Config } from '../../config.ts';

export function openCaptcha(config: Config, log: Logger): Captcha {
  const { captchaProvider: provider, captchaSecret: secret, captchaRoutes: routes } = config;
  return createCaptcha({ provider, secret, routes, tokenField: config.captchaTokenField, verifyUrl: config.captchaVerifyUrl, log });
}
