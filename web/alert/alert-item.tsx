import { Link } from '@tanstack/react-router'
import { CircleCheck, CircleX, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import type { Account, Alert } from '#client/types.ts'
import { useIsLive } from '../connection/live.ts'
import { useHooks } from '../hook/data.ts'
import { Button, buttonClass } from '../parts/button.tsx'
import { Item } from '../parts/panel.tsx'
import { WorkflowLink } from '../parts/workflow-link.tsx'
import { age, bothTimes } from '../words/times.ts'
import { isUnseen, useAcknowledge, useRemedy } from './list.ts'
import { isSevere } from './weight.ts'
import { alertTitle, happened, remedyOf, type Remedy } from './words.ts'

interface Props {
  alert: Alert
  accounts: ReadonlyMap<string, Account>
  now: number
}

export function AlertItem({ alert, accounts, now }: Props) {
  const { state, acknowledge } = useAcknowledge(alert)
  const isLive = useIsLive()
  const title = alertTitle(alert)
  const account =
    accounts.size > 1 && alert.accountId !== null
      ? ` · ${accounts.get(alert.accountId)?.name ?? 'an account that was removed'}`
      : ''
  return (
    <Item
      icon={<Severity alert={alert} />}
      title={title}
      note={
        <>
          <span className="block text-sm">{happened(alert, now)}</span>
          {alert.toDo !== null && <span className="block text-sm text-text">{alert.toDo}</span>}
          <span className="block">
            {alert.resolvedAt === null
              ? `Since ${age(now - Date.parse(alert.raisedAt)).replace(/ ago$/, '')}`
              : `From ${bothTimes(alert.raisedAt, now)}, ended ${bothTimes(alert.resolvedAt, now)}`}
            {account}
            {!isUnseen(alert) && ` · seen by ${alert.acknowledgedBy ?? 'a person'}`}
          </span>
          {state.is === 'failed' && (
            <span role="alert" className="block text-danger">
              {state.problem.message}
            </span>
          )}
        </>
      }
      end={
        <span className="flex flex-wrap gap-2 pl-7 max-desk:w-full">
          <RemedyButton alert={alert} title={title} />
          {isUnseen(alert) && (
            <Button
              disabled={state.is === 'busy' || !isLive}
              onClick={acknowledge}
              aria-label={`Seen: ${title}`}
            >
              Seen
            </Button>
          )}
          <WayThere alert={alert} />
          <WorkflowLink workflow={alert.workflow} name="Workflow" />
        </span>
      }
    />
  )
}

const REMEDIES: Record<Remedy, { name: string; sure: string }> = {
  accept: { name: 'Accept', sure: 'Press again to accept it' },
  'let go': { name: 'Let go', sure: 'Press again to let it go' },
}

/** Remedy with a second press, because it cannot be undone. */
function RemedyButton({ alert, title }: { alert: Alert; title: string }) {
  const remedy = remedyOf(alert)
  const { state, apply } = useRemedy(alert, remedy)
  const [isSure, setSure] = useState(false)
  const isLive = useIsLive()
  if (remedy === null) return null
  const { name, sure } = REMEDIES[remedy]
  return (
    <>
      <Button
        disabled={state.is === 'busy' || !isLive}
        onClick={() => (isSure ? apply() : setSure(true))}
        aria-label={`${isSure ? sure : name}: ${title}`}
      >
        {isSure ? sure : name}
      </Button>
      {state.is === 'failed' && (
        <span role="alert" className="basis-full text-danger">
          {state.problem.message}
        </span>
      )}
    </>
  )
}

const Severity = ({ alert }: { alert: Alert }) => {
  if (alert.resolvedAt !== null) return <CircleCheck className="text-muted" />
  return isSevere(alert) ? <CircleX className="text-danger" /> : <TriangleAlert className="text-warn" />
}

/** Link to the signal, order, sender or strategy; else to the symbol, or to the brokers for an account. */
function WayThere({ alert: { kind, signalId, orderId, symbol, tokenId, strategyId } }: Pick<Props, 'alert'>) {
  const name = symbol ?? 'it'
  if (signalId !== null)
    return (
      <Link
        to="/signals/$id"
        params={{ id: signalId }}
        className={buttonClass()}
        aria-label={`Open the signal of ${name}`}
      >
        Signal
      </Link>
    )
  if (orderId !== null)
    return (
      <Link
        to="/orders/$order"
        params={{ order: orderId }}
        className={buttonClass()}
        aria-label={`Open the order of ${name}`}
      >
        Order
      </Link>
    )
  if (tokenId !== null) return <WayToSender id={tokenId} isRefused={kind === 'signals_refused'} />
  if (strategyId !== null)
    return (
      <Link
        to="/strategies/$strategy"
        params={{ strategy: strategyId }}
        search={{}}
        className={buttonClass()}
      >
        Strategy
      </Link>
    )
  if (symbol === null)
    return (
      <Link to="/set-up/brokers" className={buttonClass()} aria-label="Open the brokers">
        Brokers
      </Link>
    )
  return (
    <Link
      to="/symbols/$symbol"
      params={{ symbol }}
      search={{}}
      className={buttonClass()}
      aria-label={`Open ${symbol}`}
    >
      Open
    </Link>
  )
}

function WayToSender({ id, isRefused }: { id: string; isRefused: boolean }) {
  const { data: hooks } = useHooks()
  return hooks?.some((hook) => hook.id === id) === true ? (
    <Link
      to="/set-up/hooks/$hook"
      params={{ hook: id }}
      search={isRefused ? { outcome: 'refused' } : {}}
      className={buttonClass()}
    >
      Inbox
    </Link>
  ) : (
    <Link to="/set-up/tokens" className={buttonClass()}>
      Tokens
    </Link>
  )
}
