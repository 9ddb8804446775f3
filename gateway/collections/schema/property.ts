import type { Schema } from '../../json/json-schema.ts';

/** A property, at any depth. */
export const property: Schema = { $ref: '#/$defs/property' };
