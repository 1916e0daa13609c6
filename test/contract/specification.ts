import type { Requirement } from './requirement.ts'
import { SERVICE } from './service.ts'
import { SIGNALS } from './signals.ts'
import { TRADING } from './trading.ts'

const inOrder = (a: Requirement, b: Requirement): number =>
  a.section.localeCompare(b.section, 'en', { numeric: true })

/** Every route, field, status, code and limit of the specification, in its order, with the tests that show it. */
export const SPECIFICATION: readonly Requirement[] = [...SIGNALS, ...TRADING, ...SERVICE].toSorted(inOrder)
