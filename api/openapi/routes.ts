import Router from '@koa/router'
import type { ApiState } from '../context.ts'
import { describeApi } from './document.ts'
import { OPERATIONS } from './operations.ts'

/** The description of the API, open to anybody: it holds nothing of anybody's. */
export function descriptionRoutes(): Router<ApiState> {
  const router = new Router<ApiState>()
  let document: string | undefined

  router.get('/openapi.json', (ctx) => {
    document ??= JSON.stringify(describeApi(OPERATIONS))
    ctx.type = 'json'
    ctx.body = document
  })

  return router
}
