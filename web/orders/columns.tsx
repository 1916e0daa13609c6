import { Link } from '@tanstack/react-router'
import type { Account, Order } from '#client/types.ts'
import { isWorking } from '#domain/order.ts'
import { Direction } from '../parts/direction.tsx'
import { money, number } from '../words/figures.ts'
import { Button } from '../parts/button.tsx'
import { Chip } from '../parts/panel.tsx'
import type { Column } from '../parts/table.tsx'
import { isBuying, priceWords, ROLES, sideWord, statusKind, STATUSES } from '../words/order.ts'
import { bothTimes } from '../words/times.ts'
import { AccountName } from '../parts/account.tsx'
import { SymbolLink } from '../parts/symbol-link.tsx'

/** What of an order stands in its row. */
export const orderColumns = (
  accounts: ReadonlyMap<string, Account>,
  now: number,
  cancel: (order: Order) => void,
): Column<Order>[] => [
  {
    name: 'Order',
    place: 'first',
    of: (order) => (
      <span className="flex items-center gap-2">
        <Direction isBuy={isBuying(order)} />
        <span>
          {sideWord(order)} {number(order.quantity)} <SymbolLink symbol={order.symbol} />
        </span>
      </span>
    ),
  },
  { name: 'Price', place: 'second', of: (order) => priceWords(order) },
  { name: 'In force', place: 'below', of: ({ timeInForce }) => timeInForce.toLowerCase() },
  {
    name: 'Filled',
    isFigure: true,
    place: 'tail',
    of: ({ filledQuantity, avgFillPrice }) =>
      filledQuantity === 0
        ? ''
        : `${number(filledQuantity)}${avgFillPrice === null ? '' : ` at ${money(avgFillPrice)}`}`,
  },
  {
    name: 'Status',
    place: 'lead',
    of: (order) => (
      <Link
        to="/orders/$order"
        params={{ order: order.id }}
        aria-label={`${STATUSES[order.status]}, details`}
      >
        <Chip kind={statusKind(order)}>
          <span className="underline decoration-dotted underline-offset-2">{STATUSES[order.status]}</span>
        </Chip>
      </Link>
    ),
  },
  { name: 'From', place: 'below', of: ({ role }) => ROLES[role] },
  {
    name: 'Account',
    place: 'below',
    of: ({ accountId }) => <AccountName account={accounts.get(accountId)} />,
  },
  { name: 'Placed', place: 'below', of: ({ createdAt }) => bothTimes(createdAt, now) },
  {
    name: 'Cancel',
    isControl: true,
    place: 'below',
    of: (order) =>
      isWorking(order.status) && (
        <Button onClick={() => cancel(order)} aria-label={`Cancel ${sideWord(order)} ${order.symbol}…`}>
          Cancel…
        </Button>
      ),
  },
]
