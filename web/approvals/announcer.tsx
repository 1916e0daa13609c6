import { useEffect, useRef, useState } from 'react'
import type { Signal } from '#client/types.ts'
import { headline } from '../words/signal.ts'

/** Seconds before the end of a signal at which it is announced. */
const STEPS = [60, 30, 10] as const

/** Live region that announces the end of a signal's time three times. */
export function Announcer({ signals, now }: { signals: readonly Signal[]; now: number }) {
  const said = useRef(new Map<string, number>())
  const [text, setText] = useState('')
  useEffect(() => {
    for (const signal of signals) {
      if (signal.validUntil === null) continue
      const left = (Date.parse(signal.validUntil) - now) / 1_000
      const step = STEPS.findLast((each) => left <= each)
      if (step === undefined || left <= 0 || (said.current.get(signal.id) ?? Infinity) <= step) continue
      said.current.set(signal.id, step)
      setText(`${headline(signal)} ends in ${Math.ceil(left)} seconds`)
    }
  }, [signals, now])
  return (
    <p role="status" className="sr-only">
      {text}
    </p>
  )
}
