import { test } from 'tap';
import { SECRET, startProvider } from '../captcha/provider.ts';
import { OPEN, PASSWORD, refusal, serveAccounts } from './people.ts';

test('account routes ask for a solved captcha where the settings say so', async t => {
  const { url, asked } = await startProvider(t);
  const env = {
    ...OPEN, ALLOW_ANONYMOUS: 'true', CAPTCHA_PROVIDER: 'hcaptcha', CAPTCHA_SECRET: SECRET, CAPTCHA_VERIFY_URL: url,
    CAPTCHA_ROUTES: 'register,login,forgotPassword,magicLink,emailOtp',
  };
  const { post } = await serveAccounts(t, env);
  const guest = (await post('/auth/anonymous')).body.tokens.accessToken;
  for (const path of ['register', 'login', 'forgot-password', 'magic-link', 'otp', 'anonymous/link']) {
    const as = path === 'anonymous/link' ? guest : null;
    t.same(refusal(await post(`/auth/${path}`, {}, as)), [400, 'CAPTCHA_REQUIRED'], `${path}, before its body is looked at`);
    t.same(refusal(await post(`/auth/${path}`, { captchaToken: 'bad' }, as)), [400, 'CAPTCHA_FAILED'], path);
    t.same(refusal(await post(`/auth/${path}`, { captchaToken: 'good' }, as)), [400, 'INVALID_INPUT'], `${path}, then its body is`);
  }
  t.equal(asked.length, 12);
  t.equal((await post('/auth/register', { email: 'ada@example.org', password: PASSWORD }, null, { 'h-captcha-response': 'good' })).status,
    201);
  t.equal((await post('/auth/login', { email: 'ada@example.org', password: PASSWORD, captchaToken: 'good' })).status, 200);
});

test('pages learn which captcha they have to show', async t => {
  const configOf = async (env: Record<string, string>) =>
    (await (await serveAccounts(t, { ...OPEN, ...env })).request('/auth/config', { as: null })).body.captcha;
  t.equal(await configOf({ CAPTCHA_SITE_KEY: 'of a frontend' }), null);
  const hcaptcha = { CAPTCHA_PROVIDER: 'hcaptcha', CAPTCHA_SECRET: SECRET, CAPTCHA_ROUTES: 'login' };
  t.same(await configOf(hcaptcha), { provider: 'hcaptcha', siteKey: null, routes: ['login'] });
  t.same(await configOf({ ...hcaptcha, CAPTCHA_SITE_KEY: 'of the widget' }),
    { provider: 'hcaptcha', siteKey: 'of the widget', routes: ['login'] });
});
