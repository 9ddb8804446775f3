import { Validator } from '@seriousme/openapi-schema-validator';
import type { Test } from 'tap';
import type { CatalogDocument, Property } from '../../gateway/catalog/document.ts';
import { openApiDocument, type OpenApiOptions } from '../../gateway/features/meta/openapi/document.ts';
import { catalogOf, collectionOf, options } from './catalog.ts';

/** The parts of a document that the tests read. */
export type Document = {
  servers: { url: string }[];
  tags: { name: string; description?: string }[];
  security?: object[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, RowSchema>; parameters: Record<string, Parameter>; responses: Record<string, Response>;
    securitySchemes?: object;
  };
};
export type Operation = {
  operationId: string; tags?: string[]; parameters: Parameter[]; requestBody?: { required?: boolean; content: Content };
  responses: Record<string, Response>;
};
type Response = { description: string; headers?: object; content?: Content };
type Content = { 'application/json': { schema: Record<string, unknown> } };
type Parameter = { name: string; in: string; required?: boolean; description: string; schema: Record<string, unknown> };
type RowSchema = { description?: string; required?: string[]; properties: Record<string, Record<string, unknown>> };

/** One, because it compiles the schema of OpenAPI at its first document: 70 ms. */
const validator = new Validator();

/** The document of a catalog. */
export function documentOf(t: Test, catalog: CatalogDocument, given: Partial<OpenApiOptions> = {}): Promise<Document> {
  return checked(t, JSON.stringify(openApiDocument(catalog, { ...options, ...given })));
}

/** A document as a client reads it, after it was found valid and complete in itself. */
export async function checked(t: Test, text: string): Promise<Document> {
  const document = JSON.parse(text) as Document;
  const { valid, errors } = await validator.validate(structuredClone(document));
  t.ok(valid, 'is valid OpenAPI', { errors });
  const schemas = new Set(Object.keys(document.components.schemas));
  t.same(references(document).filter(name => !schemas.has(name)), [], 'refers to nothing that is not there');
  t.same(duplicates(operations(document).map(({ operationId }) => operationId)), [], 'has no two operations of one id');
  t.same(duplicates(document.tags.map(({ name }) => name)), [], 'has no two tags of one name');
  t.same(operations(document).filter(({ tags = [] }) => tags.length !== 1).map(({ operationId }) => operationId), [],
    'has no operation without a tag');
  t.same(operations(document).flatMap(({ tags = [] }) => tags).filter(tag => !document.tags.some(({ name }) => name === tag)), [],
    'has only declared tags');
  resolve(t, document);
  return document;
}

/** Parameters and failures stand among the components alone, each once; here operations get them back. */
function resolve(t: Test, { paths, components: { parameters, responses } }: Document): void {
  t.same(duplicates(Object.values(parameters).map(parameter => JSON.stringify(parameter))), [], 'has no parameter twice');
  for (const operation of Object.values(paths).flatMap(item => Object.values(item))) {
    operation.parameters = (operation.parameters as unknown as { $ref: string }[]).map(({ $ref }) => {
      const parameter = parameters[$ref.replace('#/components/parameters/', '')];
      if (!parameter) throw new Error(`There is no ${$ref}.`);
      return parameter;
    });
    for (const [status, response] of Object.entries(operation.responses as Record<string, Response & { $ref?: string }>)) {
      if (response.$ref === undefined) continue;
      const shared = responses[response.$ref.replace('#/components/responses/', '')];
      if (!shared) throw new Error(`There is no ${response.$ref}.`);
      operation.responses[status] = shared;
    }
  }
}

/** How the document shows the properties of a collection by name, in its rows or in another of its schemas. */
export async function shown(t: Test, properties: Property[], schema: 'Thing' | 'ThingInput'
  | 'ThingUpdate' = 'Thing'): Promise<RowSchema['properties']> {
  const { components } = await documentOf(t, catalogOf(collectionOf('thing', { properties, key: ['id'] })));
  return components.schemas[schema]?.properties ?? {};
}

export function operations({ paths }: Document): Operation[] {
  return Object.values(paths).flatMap(item => Object.values(item));
}

export function operationAt(document: Document, path: string, method = 'get'): Operation {
  const operation = document.paths[path]?.[method];
  if (!operation) throw new Error(`The document has no ${method} ${path}.`);
  return operation;
}

/** The parameter of that name, in the query unless said otherwise. */
export function parameter({ parameters }: Operation, name: string, place = 'query'): Parameter | undefined {
  return parameters.find(candidate => candidate.name === name && candidate.in === place);
}

function references(document: Document): string[] {
  return [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]*)"/g)].map(([, name = '']) => name);
}

const duplicates = (names: string[]): string[] => names.filter((name, i) => names.indexOf(name) !== i);
