import type { AccountPermissions } from '#domain/account-may.ts'

/** Of an account of which its broker restricts nothing. */
export const UNRESTRICTED: AccountPermissions = { blocks: [], sellsShort: true, settledCash: null }
