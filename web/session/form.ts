import { useState, type SubmitEvent } from 'react'
import { noAnswer, Problem } from '../connection/problem.ts'

/** A form that is sent once at a time: its problem, the fault of a field, and whether it is under way. */
export function useSend(send: (form: FormData) => Promise<void>) {
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: SubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    if (isBusy) return
    setBusy(true)
    setProblem(null)
    try {
      await send(new FormData(event.currentTarget))
    } catch (error) {
      setProblem(error instanceof Problem ? error : noAnswer())
    } finally {
      setBusy(false)
    }
  }
  const faultOf = (field: string): string | undefined =>
    problem?.faults.find((fault) => fault.field === field)?.message
  const namesNoField = problem?.faults.every(({ field }) => field === '') === true
  return {
    submit: (event: SubmitEvent<HTMLFormElement>) => void submit(event),
    problem,
    /** The problem where it names no field beside which it could stand. */
    general: namesNoField ? problem : null,
    isBusy,
    faultOf,
  }
}

export const textOf = (form: FormData, name: string): string => {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}
