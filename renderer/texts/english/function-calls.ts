/** Texts on functions of the graph and their calls: why a body cannot be edited so, and why a call does not fit. */
export const functionCalls = {
  addArgument: "Add the argument {name}",
  addResult: "Add the result {name}",
  moveArgument: "Move the argument {name}",
  moveResult: "Move the result {name}",
  notOnBorder: "{name} is neither an argument nor a result.",
  alreadyFirst: "{name} is the first already.",
  alreadyLast: "{name} is the last already.",
  callersDevice: "{name} is on the border of {function}, and where its caller has it.",
  resultWaits: "{name} is a result of {function}: it takes one input, and nothing can wait with it.",
  argumentWaits: "{name} is an argument, and waits for nothing.",
  argumentName:
    "The name of an argument or result begins with a letter and goes on with letters, digits and _.",
  typeUnknown: "The type of {tensor} is not known.",
  argumentRead:
    "{name} is an argument of {function} that {reader} reads. Connect something else to {reader} first, or delete it too.",
  twoOfOneName: "The function has another argument or result named {name}.",
  dependsOnCaller: "{name} has types or numbers that each caller decides, so its arguments and results stay.",
  resultRead:
    "{result} of {function} cannot be taken away: {reader} reads it from {call}. Connect something else to {reader} first.",
  resultReadWithin:
    "{result} of {function} cannot be taken away: in {caller}, {reader} reads it from {call}. Connect something else to {reader} first.",
  resultReturned:
    "{result} of {function} cannot be taken away: {caller} returns it from {call}. Connect something else there first.",
  resultFetched:
    "{result} of {function} cannot be taken away: the run configuration {config} asks {call} for it. Take it out there first.",
  resultInFile:
    "{result} of {function} cannot be taken away: a signature or collection of the file names it as {tensor}.",
  linkedArgumentRead:
    "{call} hands the same to {function}, whose argument {name} is read by {reader}. Connect something else to {reader} there first.",
  linkedArgumentReturned:
    "{call} hands the same to {function}, which returns its argument {name}. Connect something else to that result first.",
  conditionResult: "{function} is the condition of {call}: it has one result, whether the loop goes on.",
  loopDiffers:
    "{function} is the body of {call}: what it takes it gives back, one result for each argument in the same order. Change only the arguments or only the results, and the others follow.",
  callsDisagree: "The calls of {function} cannot follow: they would have to change it in different ways.",
  otherCall:
    "{call} ({op}) calls {function} in its own way and cannot follow. Give {call} another function first.",
  fixedArgument:
    "{call} ({op}) decides the first {count, plural, one {argument} other {# arguments}} of {function}. Only those after them can change.",
  fixedResults: "{call} ({op}) decides what {function} gives.",
  hasGradient: "{function} has a gradient of its own, {gradient}, whose arguments would no longer fit.",
  argumentCount:
    "{call} hands {given, plural, =0 {nothing} one {# tensor} other {# tensors}} to {function}, which takes {taken, plural, =0 {nothing} one {# argument} other {# arguments}}.",
  resultCount:
    "{call} expects {given, plural, =0 {nothing} one {# tensor} other {# tensors}} of {function}, which gives {taken, plural, =0 {nothing} one {# result} other {# results}}.",
  argumentType: "{call} hands {given} to {function}, whose argument {name} is {taken}.",
  resultType: "{call} expects {given} of {function}, whose result {name} is {taken}.",
  argumentRemedy: "Open {function} and change its arguments, or call another function.",
  resultRemedy: "Open {function} and change its results, or call another function.",
  fitsNotShort: "{function} does not fit",
  withinShort: "problem in {function}",
  within:
    "{count, plural, one {A node} other {# nodes}} of {function}, which {call} calls, cannot run. {problem}",
  withinRemedy: "Go to {node} in {function}.",
  openAt: "Go to {node} in {function}",
} as const;
