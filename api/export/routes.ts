import { once } from 'node:events'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Logger } from 'pino'
import { exportEndpoints, type Exported } from '#contract/export.ts'
import { readExport } from '#db/export/rows.ts'
import { scoped } from '../access/policy.ts'
import { route, WRITTEN } from '../route/route.ts'
import { MEDIA_TYPES, textOf } from './text.ts'

const exportRoute = (records: Exported, scope: 'trading:read' | 'accounts:read') =>
  route(exportEndpoints[`GET /api/v1/exports/${records}`], {
    access: scoped(scope, { work: 'exports' }),
    run: async ({ em, me: { userId }, query, caller, http }, { logger }: { logger: Logger }) => {
      const { format, ...filter } = query
      const file = Readable.from(textOf(records, format, readExport(em, records, { userId, ...filter })))
      // A failure before the first row has an answer of its own.
      await caller.beforeDatabaseDeadline(once(file, 'readable'))
      http.status = 200
      http.attachment(`${records}-${new Date().toISOString().slice(0, 10)}.${format}`)
      http.set('Content-Type', `${MEDIA_TYPES[format]}; charset=utf-8`)
      if (http.method === 'HEAD') http.body = ''
      else {
        http.respond = false
        const { requestId } = caller
        // A later one breaks the connection: the file must not look complete.
        await pipeline(file, http.res).catch((error: unknown) => {
          if ((error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE')
            logger.info({ requestId }, 'an export was not read to its end')
          else logger.error({ err: error, requestId }, 'an export failed before its last row')
        })
      }
      return WRITTEN
    },
  })

export const exportRoutes = [
  exportRoute('signals', 'trading:read'),
  exportRoute('orders', 'trading:read'),
  exportRoute('fills', 'trading:read'),
  exportRoute('trades', 'trading:read'),
  exportRoute('balances', 'accounts:read'),
]
