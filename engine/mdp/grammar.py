"""The grammar of PRISM expressions over states, with the precedences of the PRISM manual."""

GRAMMAR = r"""
?start: ternary

?ternary: implies
        | implies "?" ternary ":" ternary        -> if_then_else
?implies: iff
        | iff "=>" implies                       -> implies
?iff: or_
    | iff "<=>" or_                              -> iff
?or_: and_
    | or_ ("|" | "||") and_                      -> or_
?and_: not_
     | and_ ("&" | "&&") not_                    -> and_
?not_: equality
     | "!" not_                                  -> not_
?equality: relation
         | equality ("=" | "==") relation        -> equal
         | equality "!=" relation                -> unequal
?relation: sum
         | relation "<" sum                      -> less
         | relation "<=" sum                     -> at_most
         | relation ">" sum                      -> greater
         | relation ">=" sum                     -> at_least
?sum: product
    | sum "+" product                            -> add
    | sum "-" product                            -> subtract
?product: unary
        | product "*" unary                      -> multiply
        | product "/" unary                      -> divide
?unary: atom
      | "-" unary                                -> negate
?atom: NUMBER                                    -> number
     | "true"                                    -> true
     | "false"                                   -> false
     | LABEL                                     -> label
     | FUNCTION "(" ternary ("," ternary)* ")"   -> call
     | NAME                                      -> name
     | "(" ternary ")"

FUNCTION.2: /(min|max|floor|ceil|round|pow|mod)(?=\s*\()/
NAME: /Vπ|[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*/
NUMBER: /\d+(\.\d+)?([eE][+-]?\d{1,4})?/
LABEL: /"[^"]*"/

%import common.WS
%ignore WS
"""
