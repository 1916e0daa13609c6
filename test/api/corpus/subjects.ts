import type { Player } from './player.ts'
import { accounts } from './subjects/accounts.ts'
import { administration } from './subjects/administration.ts'
import { approvals } from './subjects/approvals.ts'
import { exits } from './subjects/exits.ts'
import { figures } from './subjects/figures.ts'
import { flatten } from './subjects/flatten.ts'
import { groups } from './subjects/groups.ts'
import { hooks } from './subjects/hooks.ts'
import { identity } from './subjects/identity.ts'
import { liveOrders } from './subjects/live-orders.ts'
import { notifications } from './subjects/notifications.ts'
import { orderLists } from './subjects/order-lists.ts'
import { orders } from './subjects/orders.ts'
import { positions } from './subjects/positions.ts'
import { service } from './subjects/service.ts'
import { settings } from './subjects/settings.ts'
import { signals } from './subjects/signals.ts'
import { tokens } from './subjects/tokens.ts'

/** Every subject, with the name of its file; the longest first. */
export const SUBJECTS: Readonly<Record<string, (player: Player) => Promise<void>>> = {
  orders,
  settings,
  positions,
  hooks,
  signals,
  exits,
  groups,
  flatten,
  approvals,
  'live-orders': liveOrders,
  figures,
  accounts,
  'order-lists': orderLists,
  tokens,
  identity,
  administration,
  notifications,
  service,
}
