/** A JSON Schema (2020-12). `x-expected` finishes the sentence "must be …". */
export type Schema = Readonly<Record<string, unknown>>;
export type Keys = Readonly<Record<string, Schema>>;

export const text = (description: string, more: Schema = {}): Schema => ({ type: 'string', description, ...more });
export const name = (description: string, more: Schema = {}): Schema => text(description, { minLength: 1, ...more });
export const number = (description: string, more: Schema = {}): Schema => ({ type: 'number', description, ...more });
export const whole = (description: string, minimum: number, maximum?: number): Schema => ({ type: 'integer', description, minimum, ...(maximum !== undefined && { maximum }) });
export const bool = (description: string, fallback?: boolean): Schema => ({ type: 'boolean', description, ...(fallback !== undefined && { default: fallback }) });
export const oneOf = (description: string, ...values: string[]): Schema => ({ enum: values, description });
export const list = (description: string, items: Schema, more: Schema = {}): Schema => ({ type: 'array', description, items, ...more });
export const any = (description: string): Schema => ({ description });
export const either = (description: string, expected: string, ...anyOf: Schema[]): Schema => ({ description, anyOf, 'x-expected': expected });
export const object = (description: string, properties: Keys, required: string[] = []): Schema => ({ type: 'object', description, properties, additionalProperties: false, ...(required.length > 0 && { required }) });
export const mapOf = (description: string, additionalProperties: Schema): Schema => ({ type: 'object', description, additionalProperties });
export const later = (description: string): Schema => any(`${description} Not built in this version: boot refuses it.`);
