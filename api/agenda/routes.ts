import { AGENDA_ORDER, listAgenda, type AgendaItem } from '#db/signals/agenda.ts'
import { principalOf } from '../http/context.ts'
import { beforeDatabaseDeadline } from '../http/database-deadline.ts'
import { standardSuccess } from '../http/envelopes.ts'
import { presentPaging, readListQuery } from '../http/paging.ts'
import { toIsoInstant, toJsonNumber } from '../http/presentation.ts'
import { RouteList } from '../http/route-list.ts'
import type { AgendaItemAnswer } from './answers.ts'
import { agendaQuery } from './schema.ts'

/** What happens next, by the clock. */
export function agendaRoutes(): RouteList {
  const routes = new RouteList('/api/v1/agenda')

  routes.get('', async (ctx) => {
    const { filter, page } = readListQuery(ctx, agendaQuery, AGENDA_ORDER)
    const list = listAgenda(ctx.state.em, principalOf(ctx).userId, filter, page)
    const slice = await beforeDatabaseDeadline(ctx, list)
    const items = slice.items.map(presentAgendaItem)
    ctx.body = standardSuccess({ items, ...presentPaging(slice, page) }, ctx.state.requestId)
  })

  return routes
}

const presentAgendaItem = (item: AgendaItem): AgendaItemAnswer => ({
  kind: item.kind,
  at: toIsoInstant(item.at),
  signalId: item.signalId,
  orderId: item.orderId,
  accountId: item.accountId,
  symbol: item.symbol,
  action: item.action,
  side: item.side,
  quantity: toJsonNumber(item.quantity),
  quantityType: item.quantityType,
})
