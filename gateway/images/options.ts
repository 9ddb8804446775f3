import { ApiError } from '../error.ts';

export const FORMATS = ['webp', 'avif', 'jpeg', 'png'] as const;
export const FITS = ['cover', 'contain', 'fill', 'inside', 'outside'] as const;

/** The form of a rendition. The other side decides for one that is not given. */
export type RenditionOptions = {
  width: number | undefined;
  height: number | undefined;
  quality: number;
  format: (typeof FORMATS)[number];
  fit: (typeof FITS)[number];
};

const SIDE = 4096;

/**
 * Reads `width height quality format fit` of a query; undefined when it has none of them. An empty value is none; of one that is sent
 * twice the last counts.
 * @throws ApiError 400 INVALID_TRANSFORM_OPTIONS: nothing is corrected.
 */
export function renditionOptions(query: URLSearchParams): RenditionOptions | undefined {
  const width = given(query, 'width');
  const height = given(query, 'height');
  const quality = given(query, 'quality');
  const format = given(query, 'format');
  const fit = given(query, 'fit');
  if ([width, height, quality, format, fit].every(value => value === undefined)) return undefined;
  return {
    width: width === undefined ? undefined : whole('width', width, SIDE),
    height: height === undefined ? undefined : whole('height', height, SIDE),
    quality: quality === undefined ? 80 : whole('quality', quality, 100),
    format: format === undefined ? 'webp' : oneOf('format', format, FORMATS),
    fit: fit === undefined ? 'cover' : oneOf('fit', fit, FITS),
  };
}

function given(query: URLSearchParams, name: keyof RenditionOptions): string | undefined {
  const value = query.getAll(name).at(-1);
  return value === '' ? undefined : value;
}

function whole(name: string, text: string, most: number): number {
  const number = /^\d+$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > most) throw invalid(name, text, `a whole number from 1 to ${most}`);
  return number;
}

function oneOf<Name extends string>(name: string, text: string, names: readonly Name[]): Name {
  const found = names.find(known => known === text);
  if (found === undefined) throw invalid(name, text, `one of ${names.join(', ')}`);
  return found;
}

function invalid(name: string, value: string, wanted: string): ApiError {
  return new ApiError(400, 'INVALID_TRANSFORM_OPTIONS', `${name} has to be ${wanted}.`, { parameter: name, value });
}
