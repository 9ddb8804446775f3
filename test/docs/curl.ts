// Stands in for curl where there is none: the options that the documents use, and no others.
import { openAsBlob } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    request: { type: 'string', short: 'X' },
    data: { type: 'string', short: 'd', multiple: true, default: [] },
    'data-urlencode': { type: 'string', multiple: true, default: [] },
    form: { type: 'string', short: 'F', multiple: true, default: [] },
    get: { type: 'boolean', short: 'G' },
    globoff: { type: 'boolean', short: 'g' },
    silent: { type: 'boolean', short: 's' },
    head: { type: 'boolean', short: 'I' },
    output: { type: 'string', short: 'o' },
    'write-out': { type: 'string', short: 'w' },
  },
});
const [url = ''] = positionals;
const form = values.form.length === 0 ? undefined : new FormData();
for (const field of values.form) await addField(form, field);
const encoded = values['data-urlencode'].map(pair => {
  const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(pair) ?? [];
  return `${name}=${encodeURIComponent(value)}`;
});
const data = [...values.data, ...encoded].join('&');
const query = values.get === true && data !== '' ? `${url.includes('?') ? '&' : '?'}${data}` : '';
const body = form !== undefined ? { body: form } : values.get === true || data === '' ? {} : { body: data };
const headers = Object.fromEntries(values.header.map(header => header.split(/: (.*)/s, 2) as [string, string]));
const response = await fetch(url + query,
  { method: values.request ?? (values.head === true ? 'HEAD' : 'body' in body ? 'POST' : 'GET'), headers, ...body });
if (values.head === true) process.stdout.write([...response.headers].map(([name, value]) => `${name}: ${value}\r\n`).join(''));
else if (values.output === undefined) process.stdout.write(await response.text());
else await writeFile(values.output, Buffer.from(await response.arrayBuffer()));
process.stdout.write((values['write-out'] ?? '').replace('%{http_code}', String(response.status))
  .replace('%{content_type}', response.headers.get('content-type') ?? ''));

/** `name=text`, or `name=@path;type=of/it`. */
async function addField(form: FormData | undefined, field: string): Promise<void> {
  const [, name = '', text = ''] = /^([^=]*)=(.*)$/s.exec(field) ?? [];
  const [, path, type = ''] = /^@([^;]*)(?:;type=(.*))?$/.exec(text) ?? [];
  if (path === undefined) form?.append(name, text);
  else form?.append(name, await openAsBlob(path, { type }), basename(path));
}
