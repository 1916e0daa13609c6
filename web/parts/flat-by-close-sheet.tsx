import { useState } from 'react'
import { useIsLive } from '../connection/live.ts'
import { flatDraft, flatFault, flatTerms, type FlatByClose } from '../words/flat-by-close.ts'
import { FlatByCloseFields } from './flat-by-close.tsx'
import { FormSheet, useSend } from './form.tsx'

interface Props {
  name: string
  whose: 'account' | 'strategy'
  terms: FlatByClose
  isReal?: boolean
  save: (terms: FlatByClose) => Promise<void>
  close: () => void
}

export function FlatByCloseSheet({ name, whose, terms, isReal = false, save, close }: Props) {
  const [draft, setDraft] = useState(() => flatDraft(terms))
  const isLive = useIsLive()
  const form = useSend(async () => {
    await save(flatTerms(draft))
    close()
  })
  const fault = form.problem?.faults.find(({ path }) => path.includes('flatByClose'))?.message
  return (
    <FormSheet
      close={close}
      title={`Flat by the close: ${name}`}
      verb={draft.isOn || terms === null ? 'Save it' : 'Switch it off'}
      form={form}
      isReal={isReal}
      isBlocked={!isLive || flatFault(draft) !== null || (terms === null && !draft.isOn)}
    >
      <FlatByCloseFields draft={draft} change={setDraft} whose={whose} fault={fault} />
      <p className="text-xs text-muted">
        Open entries, stops and targets are cancelled, and nothing is opened until the session has ended. If a
        position cannot be closed in time, you get an alert while there is still time.
      </p>
    </FormSheet>
  )
}
