import { hash } from 'node:crypto';
import { bySlug, type CatalogDocument, type Collection } from '../../../catalog/document.ts';
import { printable } from '../../../process/printable.ts';
import { firstRequests, type FirstRequest } from './first-requests.ts';
import { html, Markup } from '../../../http/html.ts';

export type Chapter = { file: string; title: string };

export type PageOptions = {
  /** Where the routes are: `/api`. */
  basePath: string;
  /** Lines for a shell in the project's folder: one that sets KEY, one that opens psql. */
  key: string;
  psql: string;
  /** Whether the explorer is on. */
  swagger: boolean;
  /** At /docs. */
  manual: readonly Chapter[];
};

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d8dce2, #3a4048); --soft: light-dark(#f4f6f8, #1d2126);
  --quiet: light-dark(#59636e, #9aa4af); }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 2rem 1rem 4rem; font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
  background: light-dark(#fff, #14171a); color: light-dark(#1c2127, #e6e9ec); }
h1 { font-size: 1.75rem; margin: 0; } h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem; } h3 { font-size: 1rem; margin: 1.5rem 0 .25rem; }
p { margin: .5rem 0; } a { color: light-dark(#0b57c4, #7db4ff); } .quiet { color: var(--quiet); }
pre { margin: .25rem 0; padding: .6rem .8rem; border: 1px solid var(--line); border-radius: 6px; background: var(--soft);
  white-space: pre-wrap; font: 13px/1.5 ui-monospace, monospace; user-select: all; }
code { font: .9em ui-monospace, monospace; }
.pair { display: grid; grid-template-columns: 3.5rem 1fr; align-items: start; column-gap: .5rem; }
.pair span { padding-top: .75rem; font-size: .8rem; color: var(--quiet); }
details { border-bottom: 1px solid var(--line); padding: .4rem 0; }
summary { cursor: pointer; } details ul { margin: .3rem 0 .5rem; padding-left: 2.2rem; }
ul.plain { padding-left: 1.2rem; }
@media (max-width: 30rem) { .pair { grid-template-columns: 1fr; } .pair span { padding-top: .4rem; } }
`;

/** Nothing but the page's own style: names that reach it are text, and were they more, nothing would run or be fetched. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'", `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
  "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
].join('; ');

/** `origin`: where the browser found the page. */
export function page(catalog: CatalogDocument, origin: string, options: PageOptions): string {
  const collections = bySlug(catalog);
  const base = origin + options.basePath;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Rowgate</title>
<style>${new Markup(STYLE)}</style>
</head>
<body>
<h1>Rowgate is serving</h1>
<p class="quiet">at <code>${base}</code>, in development: in production this page is not there.</p>
<main>
${collections.length === 0 ? nothingServed() : requestsOf(firstRequests(catalog), base, options)}
${collections.length === 0 ? '' : listOf(collections)}
<h2>Read on</h2>
<ul class="plain">
<li><a href="${options.basePath}/docs">The API document</a> (OpenAPI 3), of every route and field</li>
${!options.swagger ? '' : html`<li><a href="${options.basePath}/swagger">The API explorer</a>, which sends requests from here</li>
`}${options.manual.map(({ file, title }) => html`<li><a href="/docs/${file}">${title}</a></li>
`)}
</ul>
</main>
</body>
</html>
`.text;
}

function nothingServed(): Markup {
  return html`<h2>Nothing is served yet</h2>
<p>A table is served once it has row security and a key. In <code>psql</code>:</p>
<pre>create table notes (id integer primary key generated always as identity, text text not null);
alter table notes enable row level security;
create policy admin on notes using ('admin' = any (string_to_array((select service.roles()), ',')));</pre>
<p>Then load this page again. Tables that are there and not served need what <code>rowgate policies --suggest</code> prints.</p>`;
}

function requestsOf(requests: FirstRequest[], base: string, { key, psql }: PageOptions): Markup {
  return html`<h2>First requests</h2>
<p>In a shell, in the folder that the service was started in, read the service key, and open the database:</p>
<div class="pair"><span>shell</span><pre>${key}</pre><span>shell</span><pre>${psql}</pre></div>
${requests.map(request => twins(request, base))}`;
}

function twins({ title, path, sql }: FirstRequest, base: string): Markup {
  return html`<h3>${printable(title)}</h3>
<div class="pair"><span>HTTP</span><pre>curl -H "Authorization: Bearer $KEY" '${base}${path}'</pre>
<span>psql</span><pre>${sql}</pre></div>
`;
}

function listOf(collections: Collection[]): Markup {
  return html`<h2>What is served</h2>
<p class="quiet">${counted(collections.length, 'collection')}, each at <code>/data/</code> and its name.</p>
${collections.map(detailsOf)}`;
}

function detailsOf({ slug, description, readOnly, properties, relations }: Collection): Markup {
  const reached = relations.length === 0 ? [] : [counted(relations.length, 'relation')];
  const facts = [counted(properties.length, 'field'), ...reached, ...(readOnly ? ['read-only'] : [])];
  return html`<details><summary><code>${printable(slug)}</code> <span class="quiet">${facts.join(', ')}</span></summary>
${description === null ? '' : html`<p>${description}</p>`}<ul>
${properties.map(({ name, type }) => named(name, type))}
${relations.map(({ name, target }) => named(name, `leads to ${target}`))}
</ul></details>
`;
}

function named(name: string, what: string): Markup {
  return html`<li><code>${printable(name)}</code> <span class="quiet">${printable(what)}</span></li>
`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
