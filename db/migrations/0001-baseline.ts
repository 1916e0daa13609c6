import { Migration } from '@mikro-orm/migrations'
import { ACCOUNTS } from './baseline/accounts.ts'
import { FLATTENINGS } from './baseline/flattenings.ts'
import { GROUPS } from './baseline/groups.ts'
import { HOOKS } from './baseline/hooks.ts'
import { IDENTITY } from './baseline/identity.ts'
import { LIVE } from './baseline/live.ts'
import { MEMBER_ROLE_SQL } from './baseline/member-role.ts'
import { ORDERS } from './baseline/orders.ts'
import { PROCESSES } from './baseline/processes.ts'
import { CHANNELS } from './baseline/channels.ts'
import { NOTIFY } from './baseline/notify.ts'
import { WEBHOOK_EVENTS } from './baseline/webhook-events.ts'
import { RISK } from './baseline/risk.ts'
import { PROTECTIONS } from './baseline/protections.ts'
import { SIGNALS } from './baseline/signals.ts'
import { TRADES } from './baseline/trades.ts'

export class Baseline extends Migration {
  override up(): void {
    const subjects = [
      MEMBER_ROLE_SQL,
      IDENTITY,
      ACCOUNTS,
      HOOKS,
      GROUPS,
      SIGNALS,
      PROTECTIONS,
      ORDERS,
      FLATTENINGS,
      TRADES,
      RISK,
      CHANNELS,
      NOTIFY,
      WEBHOOK_EVENTS,
      LIVE,
      PROCESSES,
    ]
    for (const statement of subjects.flat()) this.addSql(statement)
  }
}
