import { useState, type SubmitEvent } from 'react'
import { noAnswer, Problem } from '../connection/problem.ts'

/**
 * A form that is sent once at a time: its problem, the fault of a field, and whether it is under way.
 *
 * @param places fields at which a refusal is shown that concerns one of them, by its code
 */
export function useSend(
  send: (form: FormData) => Promise<void>,
  places: Readonly<Record<string, string>> = {},
) {
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
      setProblem(error instanceof Problem ? atItsField(error, places) : noAnswer())
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

function atItsField(problem: Problem, places: Readonly<Record<string, string>>): Problem {
  const { status, code, message, requestId, faults } = problem
  const field = places[code]
  return field === undefined || faults.length > 0
    ? problem
    : new Problem(status, code, message, requestId, [{ code, message, path: [field], field }])
}

export const textOf = (form: FormData, name: string): string => {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}
