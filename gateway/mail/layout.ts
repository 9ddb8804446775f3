import type { Template } from './templates.ts';

const TEXT = 'margin:0 0 16px;font:16px/1.5 -apple-system,\'Segoe UI\',Roboto,Arial,sans-serif;color:#1f2933';
const SMALL = 'margin:0;font:13px/1.5 -apple-system,\'Segoe UI\',Roboto,Arial,sans-serif;color:#52606d;word-break:break-all';
const BUTTON = 'display:inline-block;padding:12px 20px;border-radius:6px;background:#1f2933;color:#ffffff;text-decoration:none';
const CODE = 'margin:0 0 16px;font:700 30px/1.4 ui-monospace,Menlo,Consolas,monospace;letter-spacing:6px;color:#1f2933';

const GREETING = 'Hello {{name}},';

/** The HTML of a mail, still with its placeholders. Styles stand at the elements: many readers drop a style sheet. */
export function htmlOf({ before, action, after, hasCode }: Template, hasLogo: boolean): string {
  const paragraph = (text: string) => `<p style="${TEXT}">${text}</p>`;
  return [
    '<!doctype html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>',
    '<body style="margin:0;padding:24px;background:#f5f7fa"><div style="max-width:520px;margin:0 auto;padding:32px;background:#ffffff">',
    hasLogo ? '<p style="margin:0 0 24px"><img src="{{logoUrl}}" alt="{{appName}}" height="40"></p>' : '',
    ...[GREETING, ...before].map(paragraph),
    hasCode ? `<p style="${CODE}">{{code}}</p>` : '',
    action === undefined ? '' : `<p style="${TEXT}"><a href="{{link}}" style="${BUTTON}">${action}</a></p>`,
    ...after.map(paragraph),
    action === undefined ? '' : `<p style="${SMALL}">{{link}}</p>`,
    '</div></body></html>',
  ].filter(line => line !== '').join('\n');
}

/** The same as plain text. */
export function textOf({ before, action, after, hasCode }: Template): string {
  const code = hasCode ? ['{{code}}'] : [];
  const link = action === undefined ? [] : [`${action}:\n{{link}}`];
  return `${[GREETING, ...before, ...code, ...link, ...after].join('\n\n')}\n`;
}
