import { test } from 'tap';
import { MAIL_KINDS, type MailKind } from '../../gateway/config/mail-templates.ts';
import { inWords, LIFETIMES } from '../../gateway/mail/lifetimes.ts';
import { withoutBase } from '../../gateway/mail/links.ts';
import { linksIn } from '../../gateway/mail/mailbox.ts';
import { render, type RenderOptions } from '../../gateway/mail/render.ts';
import type { MailData } from '../../gateway/mail/templates.ts';

const DATA: MailData = {
  passwordReset: { token: 'tok' }, emailVerification: { token: 'tok' }, userInvitation: { token: 'tok' }, welcomeEmail: {},
  magicLink: { token: 'tok' }, emailOtp: { code: '012345' }, emailChange: { token: 'tok' },
  emailChangeNotice: { newEmail: 'new@example.org' },
};
const OPTIONS: RenderOptions = {
  branding: { appName: 'The Shop', logoUrl: undefined }, templates: {}, bases: { app: 'https://app.example.com/' },
};
const JANE = { email: 'jane.doe@example.org', displayName: 'Jane' };

function rendered(kind: MailKind, options: Partial<RenderOptions> = {}, to: { email: string; displayName?: string | null } = JANE) {
  return render(kind, to, DATA[kind], { ...OPTIONS, ...options });
}

test('every mail names the product in its subject, greets, and says in text what it says in HTML', t => {
  for (const kind of MAIL_KINDS) {
    const { subject, html, text } = rendered(kind);
    t.match(subject, /The Shop/, kind);
    for (const part of [html, text]) {
      t.match(part, /Hello Jane,/, kind);
      t.notMatch(part, /\{\{|undefined/, kind);
    }
    const words = html.slice(html.indexOf('<body')).replace(/<[^>]+>/g, ' ').replaceAll('&#39;', '\'');
    for (const line of text.split('\n').filter(line => line !== '' && !line.endsWith(':'))) t.ok(words.includes(line), `${kind}: ${line}`);
  }
  t.end();
});

test('links lead to their pages', t => {
  const links = Object.fromEntries(MAIL_KINDS.map(kind => [kind, linksIn(rendered(kind))]));
  t.same(links, {
    passwordReset: ['https://app.example.com/reset-password?token=tok'],
    emailVerification: ['https://app.example.com/verify-email?token=tok'],
    userInvitation: ['https://app.example.com/reset-password?token=tok'],
    welcomeEmail: ['https://app.example.com/app'],
    magicLink: ['https://app.example.com/auth/magic-link?token=tok'],
    emailOtp: [],
    emailChange: ['https://app.example.com/confirm-email-change?token=tok'],
    emailChangeNotice: [],
  });
  t.match(rendered('emailOtp').text, /\n012345\n/);
  t.match(rendered('emailChangeNotice').text, /new@example\.org/);
  t.end();
});

test('each link has an address of its own, else that of the reset page, else the frontend\'s', t => {
  const hosts = (bases: RenderOptions['bases']) =>
    (['passwordReset', 'emailVerification', 'magicLink', 'emailChange', 'welcomeEmail'] as const)
    .map(kind => linksIn(rendered(kind, { bases })).map(link => new URL(link).host).join());
  t.same(hosts({ app: 'https://a', reset: 'https://r', verify: 'https://v', magic: 'https://m' }), ['r', 'v', 'm', 'v', 'a']);
  t.same(hosts({ app: 'https://a', reset: 'https://r' }), ['r', 'r', 'r', 'r', 'a']);
  t.same(hosts({ app: 'https://a' }), ['a', 'a', 'a', 'a', 'a']);
  t.same(hosts({ reset: 'https://r' }), ['r', 'r', 'r', 'r', 'r']);
  t.same(linksIn(rendered('magicLink', { bases: { app: 'https://a/shop//' } })), ['https://a/shop/auth/magic-link?token=tok']);
  t.same(withoutBase({ verify: 'https://v', magic: 'https://m' }), ['passwordReset', 'userInvitation', 'welcomeEmail']);
  t.same(withoutBase({ reset: 'https://r' }), []);
  t.end();
});

test('a mail says how long it holds, from the constant that the tokens are made with', t => {
  for (const kind of ['passwordReset', 'userInvitation', 'emailVerification', 'magicLink', 'emailOtp', 'emailChange'] as const) {
    t.ok(rendered(kind).text.includes(` ${inWords(LIFETIMES[kind])}`), kind);
  }
  t.match(rendered('userInvitation').text, /for 7 days/);
  t.same([60, 90, 600, 3_600, 7_200, 86_400, 172_800].map(inWords),
    ['1 minute', '90 seconds', '10 minutes', '1 hour', '2 hours', '24 hours', '2 days']);
  t.end();
});

test('a name is text, wherever it stands', t => {
  const { html, text } = rendered('welcomeEmail', { branding: { appName: 'Q&A <b>', logoUrl: undefined } },
    { email: 'x@example.org', displayName: '<img src=x onerror="alert(\'1\')">' });
  t.match(html, /Hello &lt;img src=x onerror=&quot;alert\(&#39;1&#39;\)&quot;&gt;,/);
  t.match(html, /Q&amp;A &lt;b&gt;/);
  t.match(text, /Hello <img/);
  const { html: nested } = rendered('welcomeEmail', {}, { email: 'x@example.org', displayName: '{{link}}' });
  t.match(nested, /Hello \{\{link\}\},/, 'and no placeholder');
  t.end();
});

test('greeting: the display name, else the local part; a name that readers would make a link of is none', t => {
  const greeting = (displayName: string | null) =>
    /Hello (.*),/.exec(rendered('welcomeEmail', {}, { email: 'jane.doe@example.org', displayName }).text)?.[1];
  t.same(['Jane', ' Jane \n Doe ', 'J.R. Smith', '李雷'].map(greeting), ['Jane', 'Jane Doe', 'J.R. Smith', '李雷']);
  for (const name of [null, '', ' ', 'https://evil.example', 'win at www.evil', 'go to evil.com', 'x'.repeat(101)]) {
    t.equal(greeting(name), 'jane.doe', JSON.stringify(name));
  }
  t.end();
});

test('a template of one\'s own takes the place of ours, part by part', t => {
  const templates = { magicLink: { subject: '{{ appName }} for {{name}}', html: '<a title="{{name}}" href="{{link}}">{{expires}}</a>' } };
  const { subject, html, text } = rendered('magicLink', { templates }, { email: 'x@example.org', displayName: 'A "B"' });
  t.equal(subject, 'The Shop for A "B"');
  t.equal(html, '<a title="A &quot;B&quot;" href="https://app.example.com/auth/magic-link?token=tok">15 minutes</a>');
  t.equal(text, rendered('magicLink', {}, { email: 'x@example.org', displayName: 'A "B"' }).text);
  t.equal(rendered('emailOtp', { templates }).subject, 'Your sign-in code for The Shop');
  t.end();
});

test('a logo is shown where there is one', t => {
  t.notMatch(rendered('welcomeEmail').html, /<img/);
  t.match(rendered('welcomeEmail', { branding: { appName: 'The "Shop"', logoUrl: 'https://cdn.example.com/l.png?a=1&b=2' } }).html,
    /<img src="https:\/\/cdn\.example\.com\/l\.png\?a=1&amp;b=2" alt="The &quot;Shop&quot;"/);
  t.end();
});
