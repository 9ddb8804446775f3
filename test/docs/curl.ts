// Stands in for curl where there is none: the options that the documents use, and no others.
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    request: { type: 'string', short: 'X' },
    data: { type: 'string', short: 'd', multiple: true, default: [] },
    'data-urlencode': { type: 'string', multiple: true, default: [] },
    get: { type: 'boolean', short: 'G' },
    globoff: { type: 'boolean', short: 'g' },
    silent: { type: 'boolean', short: 's' },
    head: { type: 'boolean', short: 'I' },
    output: { type: 'string', short: 'o' },
    'write-out': { type: 'string', short: 'w' },
  },
});
const [url = ''] = positionals;
const encoded = values['data-urlencode'].map(pair => {
  const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(pair) ?? [];
  return `${name}=${encodeURIComponent(value)}`;
});
const data = [...values.data, ...encoded].join('&');
const query = values.get === true && data !== '' ? `${url.includes('?') ? '&' : '?'}${data}` : '';
const body = values.get === true || data === '' ? {} : { body: data };
const headers = Object.fromEntries(values.header.map(header => header.split(/: (.*)/s, 2) as [string, string]));
const response = await fetch(url + query, { method: values.request ?? (values.head === true ? 'HEAD' : 'body' in body ? 'POST' : 'GET'), headers, ...body });
if (values.head === true) process.stdout.write([...response.headers].map(([name, value]) => `${name}: ${value}\r\n`).join(''));
else if (values.output === undefined) process.stdout.write(await response.text());
process.stdout.write((values['write-out'] ?? '').replace('%{http_code}', String(response.status)));
