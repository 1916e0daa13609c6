import { type Requirement } from './requirement.ts'

/** Sections 4.2 to 4.4, and the codes of section 7 that orders, accounts and positions answer. */
export const TRADING: Requirement[] = []
