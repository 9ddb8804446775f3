/** A JSON Schema (2020-12). `x-expected` finishes the sentence "must be …". */
export type Schema = Readonly<Record<string, unknown>>;
export type Keys = Readonly<Record<string, Schema>>;

export const text = (description: string, more: Schema = {}): Schema => ({ type: 'string', description, ...more });
export const name = (description: string, more: Schema = {}): Schema => text(description, { minLength: 1, ...more });
export const number = (description: string, more: Schema = {}): Schema => ({ type: 'number', description, ...more });

export function whole(description: string, minimum: number, maximum?: number): Schema {
  return { type: 'integer', description, minimum, ...(maximum !== undefined && { maximum }) };
}

export function bool(description: string, fallback?: boolean): Schema {
  return { type: 'boolean', description, ...(fallback !== undefined && { default: fallback }) };
}

export const oneOf = (description: string, ...values: string[]): Schema => ({ enum: values, description });
export const list = (description: string, items: Schema, more: Schema = {}): Schema => ({ type: 'array', description, items, ...more });
export const any = (description: string): Schema => ({ description });

export function either(description: string, expected: string, ...anyOf: Schema[]): Schema {
  return { description, anyOf, 'x-expected': expected };
}

export function object(description: string, properties: Keys, required: string[] = []): Schema {
  return { type: 'object', description, properties, additionalProperties: false, ...(required.length > 0 && { required }) };
}

export function mapOf(description: string, additionalProperties: Schema, more: Schema = {}): Schema {
  return { type: 'object', description, additionalProperties, ...more };
}

/** One of several objects, told apart by its `kind`. Each has all of its keys. */
export function kinds(description: string, keys: Readonly<Record<string, Keys>>): Schema {
  return {
    type: 'object',
    description,
    discriminator: { propertyName: 'kind' },
    oneOf: Object.entries(keys).map(([kind, own]) => object('', { kind: { const: kind }, ...own }, ['kind', ...Object.keys(own)])),
  };
}

export function roles(description: string): Schema {
  const role = { type: 'string', pattern: '^[^,]+$', 'x-expected': 'a role name without a comma' };
  return list(description, role, { 'x-expected': 'a list of roles, such as ["editor"]' });
}

export const functionName = name('Function: "schema.name".', {
  pattern: '^("([^"]|"")+"|[^\\s".();]+)(\\.("([^"]|"")+"|[^\\s".();]+))?$',
  'x-expected': 'the name of a function, such as app.posts_before_save',
});

/** The published text of a schema. Members without a description have none there. */
export function schemaText(schema: Schema): string {
  return `${JSON.stringify(schema, (key, value: unknown) => key === 'description' && value === '' ? undefined : value, 2)}\n`;
}

/** The name of an SQL function. */
export function sqlFunction(description: string): Schema {
  return { ...functionName, description: `SQL function: ${description}` };
}
