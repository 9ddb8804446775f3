import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import createClient, { type Client } from 'openapi-fetch';
import openapiTypes, { astToString } from 'openapi-typescript';
import { test } from 'tap';
import ts from 'typescript';
import { ROOT } from '../harness/server.ts';
import { createService, storeTables, tokenFor, type ServiceOptions } from '../harness/service.ts';
import { violations, type Schema } from './answers.ts';
import { checked, operations, type Document, type Operation } from './document.ts';
import { library } from './client/library.ts';
import { everyType } from './tables.ts';
import { vocabulary } from './vocabulary.ts';

const FOLDER = join(import.meta.dirname, 'client');
/** As of this project, and strict. */
const { options: OPTIONS } = ts.parseJsonConfigFileContent(ts.readConfigFile(join(ROOT,
  'tsconfig.json'), path => ts.sys.readFile(path)).config, ts.sys, ROOT);

async function typesOf(document: string): Promise<string> {
  return astToString(await openapiTypes(document, { silent: true }));
}

/** The compiler's messages for these files. */
function complaints(...files: string[]): string[] {
  const diagnostics = ts.getPreEmitDiagnostics(ts.createProgram(files, OPTIONS));
  return diagnostics.map(({ file, start = 0, messageText }) =>
    `${file?.fileName
      ?? ''}:${(file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
}

/** One answer: which operation gave it, and what it was. */
type Driven = { operation: Operation; status: number };
type Calls = { drive: (callers: Record<'librarian' | 'reader' | 'visitor', Client<object>>) => Promise<void> };

test('a client that is generated from the document drives every operation of it, and every answer is as it says', async t => {
  const service = await createService(t,
    { template: 'served', env: { SERVICE_COLLECTIONS_DIR: t.testdir(library), SERVICE_MAX_BODY_SIZE: '4000' } });
  const { text } = await service.request('/docs');
  const document = await checked(t, text);
  const folder = t.testdir();
  const calls = join(folder, 'calls.ts');
  copyFileSync(join(FOLDER, 'calls.ts'), calls);
  writeFileSync(join(folder, 'paths.ts'), await typesOf(text));
  t.same(complaints(calls), [], 'the calls are what the generated types allow, and its mistakes are what they refuse');

  const driven: Driven[] = [];
  const clientOf = (token?: string) => {
    const client = createClient<object>({
      baseUrl: `${service.address}${document.servers[0]?.url ?? ''}`,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    });
    client.use({
      async onResponse({ schemaPath, request, response }) {
        const operation = document.paths[schemaPath]?.[request.method.toLowerCase()] as Operation;
        driven.push({ operation, status: response.status });
        const body = await response.clone().text();
        t.same(complaintsOf(operation, response.status, body, document), [], `${operation.operationId} ${response.status}`);
      },
    });
    return client;
  };
  const { drive } = await import(pathToFileURL(calls).href) as Calls;
  const [librarian, reader] = [await tokenFor('lib', ['librarian']), await tokenFor('ann')];
  for (const token of [librarian, reader]) await service.account(token);
  await drive({ librarian: clientOf(librarian), reader: clientOf(reader), visitor: clientOf() });

  const succeeded = new Set(driven.filter(({ status }) => status < 300).map(({ operation }) => operation.operationId));
  t.same(operations(document).map(({ operationId }) => operationId).filter(id => !succeeded.has(id)), [], 'every operation was driven');
  const statuses = new Set(driven.map(({ status }) => String(status)));
  const documented = new Set(operations(document).flatMap(({ responses }) => Object.keys(responses)));
  // A fault of the server and a database that is away are no answer to a call.
  t.same([...documented].filter(status => !statuses.has(status)).sort(), ['500', '503'], 'and every status was met');
});

/** Where an answer is not what its operation documents. */
function complaintsOf({ responses }: Operation, status: number, body: string, document: Document): string[] {
  const response = responses[status];
  if (response === undefined) return [`${status} is not documented`];
  const schema = response.content?.['application/json'].schema as Schema | undefined;
  if (schema === undefined) return body === '' ? [] : [`has a body: ${body}`];
  return violations(JSON.parse(body), schema, document);
}

const projects: [what: string, files: Readonly<Record<string, string>> | undefined, options: ServiceOptions][] = [
  ['the example', undefined, {}],
  ['files that use the whole vocabulary', vocabulary, { template: 'served' }],
  ['tables that were there before', undefined, { setup: everyType, env: storeTables }],
];

for (const [what, files, options] of projects) {
  test(`types of the document of ${what} compile`, async t => {
    const { request } = await createService(t,
      { ...options, env: { ...options.env, ...(files && { SERVICE_COLLECTIONS_DIR: t.testdir(files) }) } });
    const types = await typesOf((await request('/docs')).text);
    const folder = t.testdir();
    writeFileSync(join(folder, 'paths.ts'), types);
    t.same(complaints(join(folder, 'paths.ts')), []);
  });
}
