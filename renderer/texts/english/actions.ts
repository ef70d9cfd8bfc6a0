export const actions = {
  graphTasks: {
    startWorkers: "Start {count, number} workers",
    startNamed: "Start {names}",
    startTasks: "Start {count, plural, one {# task} other {# tasks}}",
  },
} as const;
