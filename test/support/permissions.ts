import type { AccountPermissions } from '#domain/risk/permissions.ts'

/** Of an account of which its broker restricts nothing. */
export const UNRESTRICTED: AccountPermissions = { blocks: [], sellsShort: true, settledCash: null }
