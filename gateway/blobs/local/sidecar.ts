import type { Stats } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Kind, ObjectInfo } from '../store.ts';
import { SIDECAR } from './paths.ts';
import { ifThere } from './refusal.ts';

/** The metadata beside a file: what its uploader said of it, and which file it belongs to. */
export type Sidecar = Record<string, unknown>;

export function sidecarText({ contentType, custom }: Kind, size: number, uploadedAt: number): string {
  return JSON.stringify({ ...custom, contentType, size, uploadedAt: new Date(uploadedAt).toISOString() });
}

/** Undefined where the sidecar is missing or unreadable. */
export async function readSidecar(path: string): Promise<Sidecar | undefined> {
  const text = await ifThere(readFile(path + SIDECAR, 'utf8'));
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value as Sidecar : undefined;
  } catch {
    return undefined;
  }
}

export type Stamp = Pick<Stats, 'size' | 'mtimeMs'>;

/** A file gets the time of its sidecar as its own, and no two files of one key have the same: so what belongs together shows. */
export function belongs(sidecar: Sidecar | undefined, file: Stamp): boolean {
  return sidecar?.['size'] === file.size && Date.parse(String(sidecar['uploadedAt'])) === Math.round(file.mtimeMs);
}

/** Keys that the store sets itself. */
const OWN = new Set(['contentType', 'size', 'uploadedAt']);

export function infoOf(sidecar: Sidecar = {}, { size, mtimeMs }: Stamp): ObjectInfo {
  const milliseconds = Math.round(mtimeMs);
  const { contentType } = sidecar;
  const custom = Object.entries(sidecar).filter(([name]) => !OWN.has(name));
  return {
    contentType: typeof contentType === 'string' ? contentType : 'application/octet-stream',
    custom: Object.fromEntries(custom.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])),
    size,
    modified: new Date(milliseconds),
    version: `${size.toString(16)}-${milliseconds.toString(16)}`,
    sidecar,
  };
}
