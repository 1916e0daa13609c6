import { oneOf } from '../parts/search.ts'

/** What is asked when the page of positions opens: to close all of an account. */
export const positionsSearch = (raw: Record<string, unknown>): { close?: 'all' } =>
  oneOf(raw, 'close', ['all'] as const)
