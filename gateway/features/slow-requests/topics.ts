import { topic } from '../../process/bus/topic.ts';
import type { SlowShape } from './slow-shapes.ts';

/** Slow requests that a process has answered. */
export const SLOW = topic<readonly SlowShape[]>('slow-requests');
