import type { ReactNode } from 'react'
import { Notice } from '../parts/notice.tsx'
import { Mark } from '../parts/mark.tsx'
import { useAppInfo } from '../records/person.ts'

export const Frame = ({ title, children }: { title: string; children: ReactNode }) => (
  <main className="mx-auto grid w-full max-w-100 gap-6 px-4 py-12 desk:py-24">
    <title>{`${title} · Durable Trader`}</title>
    <div className="flex items-center gap-3">
      <Mark />
      <span className="text-lg font-bold">Durable Trader</span>
    </div>
    <section className="grid gap-5 rounded-sheet border border-line bg-surface p-6">
      <h1 className="text-xl font-bold">{title}</h1>
      {children}
    </section>
  </main>
)

/** Says that a link was sent, and where to find it if the service sends no mail. */
export function LinkSent({ to, children }: { to: string; children?: ReactNode }) {
  const { data: app } = useAppInfo()
  const isKept = app?.mailbox === true
  return (
    <Notice kind="info" title={isKept ? `The link for ${to} is in the mailbox` : `A link was sent to ${to}`}>
      {children}
      {isKept && <WhereLettersAre />}
    </Notice>
  )
}

export function WhereLettersAre() {
  const { data: app } = useAppInfo()
  return app?.mailbox === true ? (
    <p className="text-sm">
      This service sends no mail: its mailbox, which npm start names, shows the message.
    </p>
  ) : null
}
