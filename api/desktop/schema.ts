import { z } from 'zod'
import { cursorFrom } from './cursor.ts'

/** The query of GET /desktop/sync/changes. */
export const changesQuery = z.strictObject({ since: cursorFrom() })
