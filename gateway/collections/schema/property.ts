import type { Schema } from '../../json/json-schema.ts';

/** A property, wherever one may stand. */
export const property: Schema = { $ref: '#/$defs/property' };
